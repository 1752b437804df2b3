import { fileURLToPath, pathToFileURL } from 'node:url'

// Set by a run of many files, which bundles the program once: a platform then starts at two thirds of the processor time.
const bundle = process.env.MESH_TEST_PROGRAM

/** File of the program `mesh`, for processes that tests start: that of the bundle, else main.ts. */
export const mainProgram = programFile('main.js', import.meta.resolve('../../main.ts'))

/** Module with the `main` of `meshctl`. */
export const meshctlModule = programFile('meshctl.cjs', import.meta.resolve('../../cli/main.ts'))

/** File of `mesh worker` with endpoints of agents from a URL, which requires no cluster. */
export const workerProgram = programFile(
  'test/flows/platform/role-process.js',
  import.meta.resolve('../flows/platform/role-process.ts'),
)

/** File of the launcher. */
export const launcherProgram = programFile('launcher/main.js', import.meta.resolve('../../launcher/main.ts'))

/** Module that a launcher of the embedded default loads first. */
export const launcherCache = pathToFileURL(
  programFile('local/workloads/compile-cache.mjs', import.meta.resolve('../../local/workloads/compile-cache.mjs')),
).href

function programFile(bundled: string, source: string): string {
  return bundle === undefined ? fileURLToPath(source) : `${bundle}/${bundled}`
}
