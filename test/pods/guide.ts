import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { text } from 'node:stream/consumers'
import { commandsOf } from '#test/flows/readme.ts'
import { findServer } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Page of each section that is not in docs/operations/install.md. */
const pageOf: Readonly<Record<string, string | undefined>> = {
  'Apply the new version': 'how-to/upgrade.md',
  'Roll back': 'how-to/upgrade.md',
  'Roll back past certificates': 'how-to/upgrade.md',
  'Rotate in a cluster': 'how-to/rotate-keys.md',
  Backup: 'how-to/back-up-and-restore.md',
  Restore: 'how-to/back-up-and-restore.md',
}

/** Runs the commands of docs/operations/install.md and of the how-tos for operators, as they are written. */
export interface Guide {
  /** Copy of `deploy`, the working directory of the commands. */
  readonly folder: string
  /** Runs the `sh` blocks of the sections in one bash, after those of "Variables". Returns their output. */
  run(...headings: readonly string[]): Promise<string>
  /** The same folder with other variables. */
  with(variables: GuideVariables): Guide
  /** The same folder with the pages of this version, which say how to return to the version of the folder. */
  readonly ofThisVersion: Guide
}

/** Environment variables of the page and its programs. */
export type GuideVariables = Readonly<Record<string, string>>

/** Opens the page on a copy of the manifests. `release` is the folder of another version. */
export function openGuide(t: Scope, variables: GuideVariables, release = root): Guide {
  const copy = tempFolder('install')
  t.after(copy.remove)
  for (const folder of ['deploy', 'docs']) cpSync(join(release, folder), join(copy.path, folder), { recursive: true })
  const guideWith = (given: GuideVariables, pages: string): Guide => ({
    folder: copy.path,
    run: (...headings) => runSections({ cwd: copy.path, release: pages }, headings, given),
    with: (others) => guideWith({ ...given, ...others }, pages),
    get ofThisVersion() {
      return guideWith(given, root)
    },
  })
  return guideWith(variables, release)
}

/** Runs the section "Images" in the repository. */
export function buildImages(variables: GuideVariables): Promise<string> {
  return runSections({ cwd: root, release: root }, ['Images'], variables)
}

interface Place {
  readonly cwd: string
  readonly release: string
}

async function runSections(
  { cwd, release }: Place,
  headings: readonly string[],
  variables: GuideVariables,
): Promise<string> {
  const blocks = ['Variables', ...headings].flatMap((heading) =>
    commandsOf(join(release, 'docs', pageOf[heading] ?? 'operations/install.md'), heading),
  )
  // A background command left by a failed block would keep the pipes open.
  const script = ['set -euo pipefail', `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`, ...blocks].join('\n')
  const tools = dirname(findServer('kubectl') ?? process.execPath)
  const env = { HOME: cwd, PATH: `${tools}:${process.env['PATH'] ?? ''}`, ...variables }
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${headings.join(', ')} exited with ${code}\n${out}\n${err}`)
  return out
}
