// A worker with the executor of exports in a process of its own: `killed-worker.ts <database url> <page>`. It kills itself within the transaction
// of that page.
import { openDatabase } from '#core/database/database.ts'
import { createWorld } from '#plugins/runs/testing/world.ts'
import { createExportExecutor } from '../export/executor.ts'
import { createDatasetServices } from './dataset-rig.ts'
import { startExportWorker } from './export-world.ts'

const [url = '', last = ''] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }))
const executor = createExportExecutor(createDatasetServices(world))
let saves = 0
startExportWorker(world, {
  ...executor,
  execute: (run, worker) =>
    executor.execute(
      {
        ...run,
        save: (change) =>
          run.save({
            ...change,
            also: async (tx) => {
              await change.also?.(tx)
              if (++saves === Number(last)) process.kill(process.pid, 'SIGKILL')
            },
          }),
      },
      worker,
    ),
})
