import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toKubeconfig } from '#local/data-folder/kubeconfig.ts'
import { personas } from '#local/data-folder/personas.ts'
import { toShell } from '#local/terminal/print-env.ts'
import { findServer } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Platform } from '../flows/platform/running-platform.ts'
import { commandsOf } from '../flows/readme.ts'
import { preludeOf } from '../../scripts/preludes/prelude.ts'
import { filesOfPage } from './page-files.ts'
import { quickNpx } from './quick-npx.ts'

/** A terminal in which a reader follows a page: a checkout with a running platform, and nothing in its environment but the prelude. */
export interface PageShell {
  readonly folder: string
  /** The blocks of a section. */
  blocks(heading: string): readonly string[]
  /** Runs each block of a section, and returns what they print. Variables and functions stay, as in a terminal. */
  section(heading: string): Promise<readonly string[]>
  /** Runs commands in the same terminal. */
  run(commands: string): Promise<string>
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const apart: ReadonlySet<string> = new Set(['.git', '.mesh', 'dist', 'coverage'])

/** Opens the terminal of a page of docs/how-to, or of the page at a path. `own` are entries of the checkout that the test writes itself. */
export function createPageShell(
  scope: Scope,
  page: string,
  platform: Platform,
  own: ReadonlySet<string> = new Set(),
): PageShell {
  const file = join(root, page.includes('/') ? page : join('docs/how-to', page))
  const { path: folder, remove } = tempFolder(basename(page))
  scope.after(remove)
  for (const name of readdirSync(root))
    if (!apart.has(name) && !own.has(name)) symlinkSync(join(root, name), join(folder, name))
  if (platform.dataDir !== undefined) symlinkSync(platform.dataDir, join(folder, '.mesh'))
  for (const [path, text] of filesOfPage(file)) writeIn(folder, path, text)
  const terminal = createTerminal(folder, quickNpx(scope))
  let prepared: Promise<string> | undefined
  const run = async (commands: string): Promise<string> => {
    await (prepared ??= terminal(preludeOn(platform, folder, readFileSync(file, 'utf8'))))
    return terminal(commands)
  }
  const blocks = (heading: string): readonly string[] => commandsOf(file, heading)
  return {
    folder,
    blocks,
    run,
    section: async (heading) => {
      const outputs: string[] = []
      for (const block of blocks(heading)) outputs.push(await run(block))
      return outputs
    },
  }
}

/** The prelude of a page. A cluster has no data folder: there, a reader sets the same variables. */
function preludeOn({ dataDir, url, gatewayUrl, tokens, apiServer }: Platform, folder: string, page: string): string {
  const commands = preludeOf(page)
  if (dataDir !== undefined) return commands
  const persona = personas.find((name) => commands.includes(`--as ${name}`)) ?? 'admin'
  const server = { url: apiServer.url, certificateAuthority: apiServer.ca, apiUrl: url }
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, toKubeconfig(server, tokens, persona))
  // No page calls the admin port.
  return toShell({ url, gatewayUrl, adminUrl: '', token: tokens[persona], kubeconfig })
}

function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

// What bash sets itself, and what is read-only, is not carried over.
const ofBash =
  /^declare -\S*r|^declare \S+ (?:BASH\w*|DIRSTACK|FUNCNAME|GROUPS|LINENO|PIPESTATUS|PWD|OLDPWD|SHLVL|IFS|_)\b/

/** Runs commands one after the other. Each bash begins with what the one before has left. */
function createTerminal(folder: string, programs: string): (commands: string) => Promise<string> {
  const home = tempFolder('home').path
  const state = join(home, 'state')
  writeFileSync(state, '')
  const env = { PATH: [programs, dirname(findServer('kubectl') ?? ''), process.env['PATH']].join(':'), HOME: home }
  const keep = `{ declare -p; declare -f; } > '${state}.new'`
  return async (commands) => {
    const script = `source '${state}'\nset -eo pipefail\n${commands}\n${keep}`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env, timeout: 900_000 })
    const left = readFileSync(`${state}.new`, 'utf8').split('\n')
    writeFileSync(state, left.filter((line) => !ofBash.test(line)).join('\n'))
    return stdout
  }
}
