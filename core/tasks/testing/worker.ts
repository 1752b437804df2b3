import { sql } from 'kysely'
import { Type } from 'typebox'
import { sleep } from '#core/async/sleep.ts'
import { openDatabase } from '#core/database/database.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { runTasks } from '../run-tasks.ts'
import { defineTask, handleTask } from '../task.ts'

// `node worker.ts URL LEASE_MS`: runs tasks of the type `kill.effect` until it is killed. Each attempt writes its effect with its epoch.
const [url = '', leaseMs = ''] = process.argv.slice(2)
const database = await openDatabase({ url, connections: 6 })
const store = createStore(database, { projections: [] })
const type = defineTask({
  name: 'kill.effect',
  payload: Type.Object({ n: Type.Integer() }),
  concurrency: 8,
  perNamespace: 8,
})
const handler = handleTask(type, async (task) => {
  await sleep(10 + Math.random() * 40)
  await store.transact((tx) =>
    sql`insert into effects (task, epoch, n, pid) values (${task.id}::bigint, ${task.epoch}, ${task.payload.n}, ${process.pid})`.execute(
      tx.tables(),
    ),
  )
  process.stdout.write(`${task.id}\n`)
  await sleep(10 + Math.random() * 40)
})
await runTasks({
  database,
  handlers: [handler],
  log: createLogger({ destination: { write: () => undefined } }),
  leaseMs: Number(leaseMs),
  pollMs: 100,
  signal: new AbortController().signal,
}).done
