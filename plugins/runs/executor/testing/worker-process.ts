// A worker with the example executor in a separate process: `worker-process.ts <database url> <page> [freeze]`. Before it writes that page, it
// kills itself, or with `freeze` it reports the page and waits for SIGCONT.
import { openDatabase } from '#core/database/database.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createWorld, startWorker, workerServices } from '../../testing/world.ts'
import { createExportExecutor } from './export-executor.ts'

const [url = '', last = '', freeze] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }))
const executor = createExportExecutor({
  beforePage: (page) => {
    if (page !== Number(last)) return
    process.stdout.write('page\n')
    process.kill(process.pid, freeze === undefined ? 'SIGKILL' : 'SIGSTOP')
  },
})
startWorker({ ...workerServices(world, () => undefined), executors: [executor] }, uuidV7())
process.stdout.write('ready\n')
