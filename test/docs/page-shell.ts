import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toKubeconfig } from '#local/cluster/kubeconfig.ts'
import { findServer } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Platform } from '../flows/platform/running-platform.ts'
import { commandsOf } from '../flows/readme.ts'

/** Runs commands of a how-to page against a platform, in a folder with the files that `npm start` would write there. */
export interface PageShell {
  readonly folder: string
  /** The blocks of a section. */
  blocks(heading: string): readonly string[]
  /** Runs each block of a section, after the lines of "Prepare" that set variables, and returns what they print. */
  section(heading: string): Promise<readonly string[]>
  /** Runs commands after the same lines. */
  run(commands: string): Promise<string>
}

/** Creates the shell of a page of docs/how-to. Addresses of localhost:8080 become those of the platform. */
export function createPageShell(scope: Scope, page: string, platform: Platform): PageShell {
  const file = fileURLToPath(new URL(`../../docs/how-to/${page}`, import.meta.url))
  const { path: folder, remove } = tempFolder(page)
  scope.after(remove)
  mkdirSync(join(folder, '.mesh'))
  const { url, ca } = platform.apiServer
  const kubeconfig = toKubeconfig({ url, certificateAuthority: ca }, platform.tokens)
  writeFileSync(join(folder, '.mesh', 'kubeconfig'), kubeconfig, { mode: 0o600 })
  writeFileSync(join(folder, '.mesh', 'tokens.json'), JSON.stringify(platform.tokens), { mode: 0o600 })
  const path = [dirname(findServer('kubectl') ?? ''), dirname(process.execPath), process.env['PATH']].join(':')
  const bash = async (commands: string): Promise<string> => {
    const script = `set -eo pipefail\n${commands}`.replaceAll('http://localhost:8080', platform.url)
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: folder,
      env: { PATH: path, HOME: folder },
    })
    return stdout
  }
  const settings = (commandsOf(file, 'Prepare')[0] ?? '').split('\n').filter((line) => !line.startsWith('kubectl'))
  const run = (commands: string): Promise<string> => bash([...settings, commands].join('\n'))
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
