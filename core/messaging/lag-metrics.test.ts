import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { createStore } from '#core/event-store/create-store.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { note } from '#core/event-store/testing/notes.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { createLagJob } from './lag-metrics.ts'

for (const adapter of adapters) {
  test(
    `${adapter.name}: lag is counted in events and seconds over the gap of a month, dead letters by consumer`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const store = createStore(database, { projections: [] })
      const metrics = createMetrics()
      const job = createLagJob(database, metrics)
      const read = async (name: string): Promise<number> => {
        await job.run({ epoch: 0n, signal: new AbortController().signal })
        const escaped = name.replaceAll(/[{}"]/g, '\\$&')
        return Number(new RegExp(`^${escaped} (\\S+)$`, 'm').exec(await metrics.render())?.[1])
      }
      const at = (position: bigint) =>
        sql`insert into cursor (name, stream, position) values ('relay', '*', ${position}), ('tally.count', '*', ${position})
        on conflict (name, stream) do update set position = excluded.position`.execute(database.db)
      assert.deepEqual([await read('mesh_outbox_lag_events'), await read('mesh_outbox_lag_seconds')], [0, 0])
      const time = new Date(Date.now() - 90_000)
      await store.transact((tx) => tx.append('notes/a', 0, [note(1, { time }), note(2), note(3)]))
      await at(0n)
      assert.equal(await read('mesh_outbox_lag_events'), 3)
      const age = await read('mesh_consumer_lag_seconds{consumer="tally.count"}')
      assert.ok(age >= 89 && age < 150, String(age))
      const [, second] = await store.readStream('notes/a')
      await at(second?.position ?? 0n)
      assert.equal(await read('mesh_outbox_lag_events'), 1)
      assert.ok((await read('mesh_outbox_lag_seconds')) < 60)
      await sql`insert into dead_letter (consumer, event_id, position, attempts, error, dead_at)
      values ('tally.count', 'x', 1, 5, 'Error', now()), ('tally.count', 'y', 1, 1, 'Error', null)`.execute(database.db)
      assert.equal(await read('mesh_dead_letters{consumer="tally.count"}'), 1)
    },
  )
}
