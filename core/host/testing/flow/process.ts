import type { Role } from '#core/config/profile.ts'
import { composeHost } from '../../process/compose-process.ts'
import { runProcess } from '../../process/run-process.ts'
import { flowPlugins } from './plugins.ts'

// One role of the flow test as a separate process: `node process.ts bff`. Prints its addresses to stdout when it is ready.
const roles = process.argv.slice(2) as Role[]
const composed = await composeHost({
  roles,
  plugins: flowPlugins,
  env: process.env,
  version: '0.0.0',
  generateKeys: true,
})
const { host } = composed
const start = async (): Promise<void> => {
  await host.start()
  process.stdout.write(`${JSON.stringify(host.addresses())}\n`)
}
process.exit(await runProcess({ ...composed, host: { ...host, start } }, roles))
