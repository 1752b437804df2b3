import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Client } from 'pg'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createTraceScope } from '#core/telemetry/trace-context.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { startTrace } from '#core/telemetry/traceparent.ts'
import { appendLock } from './append.ts'
import { createStore } from './create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from './store-migrations.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { createNotes, note, sums } from './testing/notes.ts'

for (const adapter of adapters) {
  test(
    `${adapter.name}: transactions are timed by outcome and traced without their SQL`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      await createNotes(database)
      const metrics = createMetrics()
      const store = createStore(database, { projections: [sums], metrics })
      const ended: EndedSpan[] = []
      const trace = startTrace()
      const scope = createTraceScope(
        trace,
        createTracer((span) => ended.push(span)),
      )
      await scope.run(async () => {
        await store.transact((tx) => tx.append('notes/a', 0, [note(1)]))
        await assert.rejects(
          store.transact(async (tx) => {
            await sql`select 'canary'`.execute(tx.tables())
            throw new Error('canary')
          }),
        )
      })
      await store.transact(async () => undefined)
      const text = await metrics.render()
      assert.match(text, /mesh_store_transact_seconds_count\{outcome="committed"\} 2/)
      assert.match(text, /mesh_store_transact_seconds_count\{outcome="failed"\} 1/)
      assert.match(text, /mesh_store_append_lock_wait_seconds_count 1/)
      assert.deepEqual(
        ended.map(({ name, parentSpanId, status }) => [name, parentSpanId, status]),
        [
          ['transact', trace.spanId, 'ok'],
          ['transact', trace.spanId, 'error'],
        ],
      )
      assert.doesNotMatch(JSON.stringify(ended.map(({ attributes }) => attributes)), /canary/)
      assert.deepEqual(database.usage().waiting, 0)
    },
  )
}

test(
  'the wait for the append lock is measured, and callers that wait for a connection are counted',
  needs('postgres', 'initdb'),
  async (t) => {
    const url = await createDatabase(t)
    const database = await openDatabase({ url, connections: 2 })
    t.after(() => database.close())
    await migrate(database, [storeMigrations])
    const metrics = createMetrics()
    const store = createStore(database, { projections: [], metrics })
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query(`select pg_advisory_lock(${appendLock})`)
    const writing = ['a', 'b', 'c'].map((name) => store.transact((tx) => tx.append(`notes/${name}`, 0, [note(1)])))
    // Other tests wait for locks on the same server.
    const here = '(select oid from pg_database where datname = current_database())'
    const waiting = `select count(*) from pg_locks where not granted and database = ${here}`
    while (Number((await holder.query(waiting)).rows[0]?.count) < 2) await sleep(5)
    assert.deepEqual(database.usage(), { inUse: 2, idle: 0, waiting: 1 })
    await sleep(60) // the wait that is measured below
    await holder.query(`select pg_advisory_unlock(${appendLock})`)
    await Promise.all(writing)
    await holder.end()
    const text = await metrics.render()
    assert.match(text, /mesh_store_append_lock_wait_seconds_count 3/)
    assert.match(text, /mesh_store_append_lock_wait_seconds_bucket\{le="0.05"\} [01]$/m)
    assert.ok(Number(/mesh_store_append_lock_wait_seconds_sum (\S+)/.exec(text)?.[1]) > 0.1)
  },
)
