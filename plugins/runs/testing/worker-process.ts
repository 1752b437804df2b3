// A worker in a process of its own, to be killed: `worker-process.ts <database url> <launcher url>`.
import { openDatabase } from '#core/store/database.ts'
import { uuidV7 } from '#core/store/uuid-v7.ts'
import { createWorld, driveServices, startWorker } from './world.ts'

const [url = '', origin = ''] = process.argv.slice(2)
const world = createWorld(await openDatabase({ url }))
startWorker(
  driveServices(world, () => origin),
  uuidV7(),
)
process.stdout.write('ready\n')
