import { createRequire } from 'node:module'
import type { main as mainOfMeshctl } from '#cli/main.ts'
import { meshctlModule } from '#test/harness/program.ts'

// `node meshctl.ts ARGUMENTS`: meshctl as a process, from the bundle if there is one.
const load = (): unknown => createRequire(import.meta.url)(meshctlModule)
const { main } = (meshctlModule.endsWith('.cjs') ? load() : await import(meshctlModule)) as {
  main: typeof mainOfMeshctl
}
process.exit(await main(process.argv.slice(2)))
