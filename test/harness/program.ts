import { fileURLToPath } from 'node:url'

const root = fileURLToPath(import.meta.resolve('../../'))
// Set by a run of many files, which bundles the program once: a platform then starts at half of the processor time.
const bundle = process.env.MESH_TEST_PROGRAM

/** File of the program `mesh`, for processes that tests start: that of the bundle, else main.ts. */
export const mainProgram = programFile('main')

/** File of `mesh worker` with endpoints of agents from a URL, which requires no cluster. */
export const workerProgram = programFile('test/flows/platform/role-process')

/** File of the launcher. */
export const launcherProgram = programFile('launcher/main')

function programFile(path: string): string {
  return bundle === undefined ? `${root}${path}.ts` : `${bundle}/${path}.js`
}
