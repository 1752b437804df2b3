import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { createLeaderElection, StaleEpoch } from '#core/database/leader-election.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { RunFact } from '../lifecycle/decide.ts'
import { createRunRetention } from './run-retention.ts'
import { savePartials } from '../store/partials.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createWorld, queueRun } from '../testing/world.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
const actor = { name: 'worker', kind: 'system' } as const
const started: RunFact = { fact: 'started', epoch: 1, segment: 1 }
const interrupts = [{ id: 'q', reason: 'input_required' }] as const
const paused: RunFact = { fact: 'paused', pauseReason: 'input_required', interrupts }

for (const { name, skip, open } of pluginAdapters) {
  const setUp = async (t: TestContext) => {
    const database = await open(t, [storeMigrations, runsMigrations])
    const world = createWorld(database)
    let removed = 0
    const job = createRunRetention({
      store: world.store,
      retentionDays: 30,
      removed: (runs) => (removed += runs),
      batch: 5,
    })
    /** One round of the leader. */
    const enforce = async (): Promise<number> => {
      const before = removed
      const election = createLeaderElection({ database, holder: 'one', name: job.name })
      await election.run((term) => job.run(term), new AbortController().signal)
      return removed - before
    }
    /** A run that ended or was paused that many days ago. */
    const make = async (facts: readonly RunFact[], daysAgo: number): Promise<string> => {
      const { id } = await queueRun(world, 'x'.repeat(1000))
      if (facts.length > 0) await world.writer.change(id, { actor }, () => ({ facts }))
      await sql`update runs_runs set created_at = created_at - make_interval(days => ${daysAgo}),
        finished_at = finished_at - make_interval(days => ${daysAgo}) where id = ${id}`.execute(database.root)
      await sql`update runs_lease set idle_since = idle_since - make_interval(days => ${daysAgo})
        where run_id = ${id}`.execute(database.root)
      return id
    }
    const exists = async (id: string): Promise<boolean> =>
      (await findRun(world.store.reader<RunsTables>(), id)) !== undefined
    const count = async (table: string): Promise<number> => {
      const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(
        database.root,
      )
      return rows[0]?.n ?? 0
    }
    return { database, world, job, enforce, make, exists, count }
  }

  test(
    `${name}: F10: a run is removed with all its content at the end of its retention, not earlier`,
    { skip },
    async (t) => {
      const { world, enforce, make, exists, count, database } = await setUp(t)
      const old = [await make([started, { fact: 'succeeded' }], 31), await make([started, paused], 31)]
      const kept = [
        await make([started, { fact: 'succeeded' }], 29),
        await make([started, paused], 29),
        await make([started], 400),
        await make([], 400),
      ]
      const [orphan] = old
      await world.store.transact((tx) =>
        savePartials(tx.tables<RunsTables>(), [{ run_id: orphan ?? '', message_id: 'm', text: 'half a sen' }]),
      )
      // A slow worker writes the text after the deletion.
      const late = await queueRun(world, 'x')
      await sql`delete from runs_lease where run_id = ${late.id}`.execute(database.root)
      await world.store.transact((tx) =>
        savePartials(tx.tables<RunsTables>(), [{ run_id: late.id, message_id: 'm', text: 'half a sen' }]),
      )
      assert.equal(await enforce(), 2)
      for (const id of old) assert.equal(await exists(id), false)
      for (const id of kept) assert.equal(await exists(id), true)
      assert.deepEqual([await count('runs_lease'), await count('runs_partial')], [kept.length, 0])
      const { rows } = await sql`select 1 from runs_journal where run_id = any(${old}::uuid[])
      union all select 1 from runs_content where run_id = any(${old}::uuid[])`.execute(database.root)
      assert.deepEqual(rows, [])
      assert.equal(await enforce(), 0)
      const deleted = await sql`select 1 from events where type = 'dev.mesh.runs.deleted.v1'`.execute(database.root)
      assert.equal(deleted.rows.length, 2)
    },
  )

  test(
    `${name}: F10: storage over a simulated year is bounded by the retention`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { database, enforce, make, count } = await setUp(t)
      const sizes: number[] = []
      for (let month = 0; month < 12; month++) {
        for (let n = 0; n < 6; n++) await make([started, { fact: 'succeeded' }], 5 * n)
        await enforce()
        const { rows } = await sql<{ bytes: number }>`select sum(bytes)::float8 as bytes from runs_storage`.execute(
          database.root,
        )
        sizes.push(rows[0]?.bytes ?? 0)
        assert.equal(await count('runs_runs'), 6, `month ${month}`)
        // A month passes.
        await sql`update runs_runs set finished_at = finished_at - interval '31 days'`.execute(database.root)
      }
      const [first = 0] = sizes
      assert.deepEqual(
        sizes,
        sizes.map(() => first),
        'what is removed is subtracted, to the byte',
      )
      for (const table of ['runs_lease', 'runs_content']) assert.equal(await count(table), 6, table)
    },
  )

  test(
    `${name}: F10, O5: one round removes several batches, and nothing under an old epoch`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { database, job, enforce, make, count } = await setUp(t)
      for (let n = 0; n < 3; n++) await make([started, { fact: 'succeeded' }], 31)
      await sql`update leader set epoch = 7 where name = ${job.name}`.execute(database.root)
      const term = { epoch: 6n, signal: new AbortController().signal }
      await assert.rejects(job.run(term), (error: unknown) => error instanceof StaleEpoch)
      assert.equal(await count('runs_runs'), 3)
      for (let n = 0; n < 9; n++) await make([started, { fact: 'succeeded' }], 31)
      assert.equal(await enforce(), 12)
      assert.equal(await count('runs_runs'), 0)
    },
  )
}
