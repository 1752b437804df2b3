import { lstat, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { DevValues } from '#cli/contract/dev.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { consoleFiles } from '#core/http/console/console-files.ts'
import { findFile, OutsideFolder } from './folder-file.ts'

/** The console of `--ui`. */
export interface FoundConsole {
  /** The folder of `--ui-dist` without symbolic links; undefined: the console of the package, which the BFF serves. */
  readonly folder: string | undefined
  readonly port: number
}

type ConsoleValues = Pick<DevValues, 'ui' | 'ui-port' | 'ui-dist' | 'port' | 'replay'>

const PAGE = 'index.html'
const DEFAULT_FOLDER = 'ui/dist'
const DEFAULT_PORT = 8888
const hint = 'Build the console there, or leave --ui-dist out: the console of the package is served then.'

/** The console that is served; undefined without `--ui`. Throws `CliProblem` for flags, and for a folder, that cannot be used. */
export async function findConsole(
  values: ConsoleValues,
  readPacked: () => Promise<unknown> = consoleFiles,
): Promise<FoundConsole | undefined> {
  const { ui, 'ui-dist': given, 'ui-port': port = DEFAULT_PORT } = values
  refuseFlags(values)
  if (!ui) return undefined
  if (port !== 0 && port === values.port)
    throw new CliProblem(`--port and --ui-port are both ${port}`, 'Choose another for one of them; 0 is any free one.')
  const path = given ?? ((await hasPage(DEFAULT_FOLDER)) ? DEFAULT_FOLDER : undefined)
  if (path !== undefined) return { port, folder: await checkFolder(path) }
  await readPacked().catch(() => {
    throw new CliProblem(
      `this installation has no console, and neither has ${DEFAULT_FOLDER}`,
      'The npm package has it: npm install -g @mesh.dev/mesh. --ui-dist names another one.',
    )
  })
  return { port, folder: undefined }
}

function refuseFlags({ ui, replay, 'ui-port': port, 'ui-dist': folder }: ConsoleValues): void {
  for (const [flag, value] of Object.entries({ '--ui-port': port, '--ui-dist': folder }))
    if (value !== undefined && !ui) throw new CliProblem(`${flag} is of --ui`, 'Add --ui, or leave it out.')
  if (ui && replay !== undefined)
    throw new CliProblem(
      '--replay ends by itself, and --ui serves a console',
      'Leave one of them out; dev --ui --data DIR shows the runs that DIR keeps.',
    )
}

async function hasPage(folder: string): Promise<boolean> {
  return lstat(join(folder, PAGE)).then(
    () => true,
    () => false,
  )
}

async function checkFolder(path: string): Promise<string> {
  const refuse = (why: string): never => {
    throw new CliProblem(`--ui-dist ${toSafeText(path)} ${why}`, hint)
  }
  const root = await realpath(path).catch(() => refuse('does not exist'))
  if (!(await stat(root)).isDirectory()) return refuse('is not a folder')
  const page = await findFile(root, [PAGE]).catch((error: unknown) => {
    if (error instanceof OutsideFolder) return refuse(`has an ${PAGE} that leads out of the folder`)
    throw error
  })
  return page === undefined ? refuse(`has no ${PAGE}`) : root
}
