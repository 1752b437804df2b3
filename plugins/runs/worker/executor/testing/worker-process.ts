// A worker with the example executor in a separate process: `worker-process.ts <database url> <page> [freeze]`. It kills itself before it writes the
// page. With `freeze` it reports the page, blocks its only thread until it reads a byte, and reports the outcome of the write.
import { readSync } from 'node:fs'
import { openDatabase } from '#core/database/database.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { RunExecutor } from '../../../contract/points.ts'
import { createWorld, startWorker, workerServices } from '../../../testing/world.ts'
import { createExportExecutor } from './export-executor.ts'

const [url = '', last = '', freeze] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }))
let isThawed = false
const exporter = createExportExecutor({
  beforePage: (page) => {
    if (page !== Number(last)) return
    if (freeze === undefined) process.kill(process.pid, 'SIGKILL')
    process.stdout.write('page\n')
    // Not SIGSTOP: sent to itself after the report, it could arrive after the SIGCONT of the test.
    readSync(0, Buffer.alloc(1))
    isThawed = true
  },
})
const executor: RunExecutor = {
  ...exporter,
  execute: (run, worker) => exporter.execute({ ...run, save: (change) => reported(run.save(change)) }, worker),
}

async function reported(save: Promise<void>): Promise<void> {
  const outcome = await save.then(
    () => 'written',
    (error: unknown) => (error as Error).name,
  )
  if (isThawed) process.stdout.write(`outcome ${outcome}\n`)
  return save
}

startWorker({ ...workerServices(world, () => undefined), executors: [executor] }, uuidV7())
process.stdout.write('ready\n')
