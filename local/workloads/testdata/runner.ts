// Runs the workloads of an API server until it is killed: for the tests that kill it.
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { launcherCache, launcherProgram } from '#test/harness/program.ts'
import { launcherCommand, startWorkloads } from '../start-workloads.ts'

const [server = '', bearer = '', dataDir = ''] = process.argv.slice(2)
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}
const pool = createPool(server)
const cluster = createKubeClient({ server, pool, bearer })
const workloads = await startWorkloads({
  cluster,
  dataDir,
  launcher: launcherCommand(launcherProgram, launcherCache),
  log: silent,
})
process.stdout.write(`${workloads.endpointsUrl}\n`)
