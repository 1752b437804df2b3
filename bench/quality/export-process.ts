// A worker with the executor of exports: `export-process.ts <database url>`. It runs until it is ended.
import { openDatabase } from '#core/database/database.ts'
import { createExportExecutor } from '#plugins/datasets/export/executor.ts'
import { createDatasetServices } from '#plugins/datasets/testing/dataset-rig.ts'
import { startExportWorker } from '#plugins/datasets/testing/export-world.ts'
import { createWorld } from '#plugins/runs/testing/world.ts'

const [url = ''] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }))
startExportWorker(world, createExportExecutor(createDatasetServices(world)))
