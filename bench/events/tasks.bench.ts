import { sql } from 'kysely'
import { Type } from 'typebox'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { runTasks } from '#core/tasks/run-tasks.ts'
import { taskMigrations } from '#core/tasks/task-migrations.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import { defineTask, handleTask } from '#core/tasks/task.ts'
import { createDatabase } from '#test/harness/database.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { Bench } from '../tools/bench.ts'
import { cpuOf } from '../tools/process-figures.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate, Measured } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'

const tasks = 2_000
const tenants = 20
const concurrency = 20
const queue = 'queue of tasks'
const floor = 'plain SKIP LOCKED loop'

/** Path of a task: claimed, run by a handler that does nothing, and ended, on PostgreSQL. */
export const bench: Bench = {
  title: `${tasks} tasks of ${tenants} namespaces, ${concurrency} at once (1/s, and CPU of worker and PostgreSQL per task)`,
  database: 'fresh',
  measure: () => withScope(measure),
  goals: (figureOf) => [
    {
      text: 'tasks a second against the plain loop, ratio',
      value: figureOf(queue, 'per second') / figureOf(floor, 'per second'),
      limit: 1,
      atLeast: true,
      peer: { candidate: floor, figure: 'per second' },
    },
    {
      text: 'CPU per task against the plain loop, ratio',
      value: figureOf(queue, 'CPU us') / figureOf(floor, 'CPU us'),
      limit: 1.5,
      peer: { candidate: floor, figure: 'CPU us' },
    },
  ],
}

const type = defineTask({
  name: 'bench.task',
  payload: Type.Object({ n: Type.Integer() }),
  concurrency,
  perNamespace: concurrency,
})
const log = createLogger({ destination: { write: () => undefined } })

async function measure(t: Scope): Promise<Measured> {
  const candidates: Candidate[] = [
    { name: queue, run: await candidateOn(t, byQueue) },
    { name: floor, run: await candidateOn(t, byLoops) },
  ]
  const measured = await interleave(candidates, { rounds: 5, most: 8 })
  return {
    ...measured,
    notes: ['The loop claims and ends one task in one transaction: no lease, no fairness, no back-off.'],
  }
}

async function candidateOn(t: Scope, work: (database: Database) => Promise<void>): Promise<Candidate['run']> {
  const database = await openDatabase({ url: await createDatabase(t), connections: concurrency + 2 })
  t.after(() => database.close())
  await migrate(database, [storeMigrations, taskMigrations])
  return async () => {
    await sql`truncate tasks`.execute(database.root)
    await enqueueAll(database)
    const [cpu, started] = [cpuOf(process.pid), performance.now()]
    await work(database)
    const seconds = (performance.now() - started) / 1_000
    return { 'per second': tasks / seconds, 'CPU us': (cpuOf(process.pid) - cpu) / tasks }
  }
}

async function enqueueAll(database: Database): Promise<void> {
  const store = createStore(database, { projections: [] })
  const waiting = createTaskQueue(database)
  await store.transact(async (tx) => {
    for (let n = 0; n < tasks; n++)
      await waiting.enqueue(tx, type, { namespace: `tenant-${n % tenants}`, payload: { n } })
  })
  await sql`analyze tasks`.execute(database.root)
}

async function byQueue(database: Database): Promise<void> {
  const stop = new AbortController()
  let left = tasks
  const handler = handleTask(type, async () => {
    if (--left === 0) stop.abort()
  })
  await runTasks({ database, handlers: [handler], log, signal: stop.signal }).done
}

async function byLoops({ root }: Database): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let found = true; found;)
      found = await root.transaction().execute(async (tx) => {
        const { rows } = await sql<{ id: bigint }>`select id from tasks where state = 'ready' order by due_at limit 1
          for update skip locked`.execute(tx)
        const [row] = rows
        if (row !== undefined) await sql`update tasks set state = 'done' where id = ${row.id}`.execute(tx)
        return row !== undefined
      })
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}
