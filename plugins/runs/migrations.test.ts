import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import test from 'node:test'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { adapters, pluginAdapters } from '#core/database/testing/databases.ts'
import { meteredEvent } from '#plugins/cost/testing/cost-store.ts'
import { up as createTables } from './migrations/0001-runs.ts'
import { up as addTickets } from './migrations/0002-tickets.ts'
import { up as addLaunchers } from './migrations/0003-launchers.ts'
import { up as addIndexes } from './migrations/0004-list-indexes.ts'
import { up as countAgain } from './migrations/0024-statistics-again.ts'
import { claimRuns } from './store/claims.ts'
import { deleteRunContent } from './store/deletion.ts'
import { readRunUsage } from './store/internal/usage.ts'
import { createWorld } from './testing/world.ts'
import { countRunsIn } from './store/sums/count-runs.ts'
import type { RunsTables } from './contract/tables.ts'

const cluster = { name: 'cluster', migrations: clusterMigrations }
const folder = new URL('./migrations/', import.meta.url)

async function migrationFiles(): Promise<readonly string[]> {
  return (await readdir(folder)).toSorted()
}

async function runAll(root: Kysely<unknown>, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const { up } = (await import(new URL(file, folder).href)) as { up: typeof createTables }
    await root.transaction().execute((tx) => up(tx))
  }
}

for (const { name, skip, open } of adapters)
  test(
    `${name}: F10: runs from before the count of stored bytes are counted, claimed and removed`,
    { skip },
    async (t) => {
      const database = await open(t)
      await migrate(database, [storeMigrations, cluster])
      const { root } = database
      for (const up of [createTables, addTickets, addLaunchers, addIndexes]) await up(root)
      const [waiting, ended] = [uuidV7(), uuidV7()]
      const text = JSON.stringify('x'.repeat(1000))
      for (const [id, state, lease] of [
        [waiting, 'queued', 'ready'],
        [ended, 'succeeded', 'done'],
      ]) {
        await sql`insert into runs_runs (id, version, namespace, namespace_uid, conversation_id, root_run_id, trigger_kind, trigger_by,
        state, trace_id, input_tokens, created_at)
        values (${id}, 1, 'team', 'uid', 'c', ${id}, 'api', 'alice', ${state}, 't', 7, now())`.execute(root)
        await sql`insert into runs_content (run_id, input, output, grant_token) values (${id}, ${text}, ${text}, '')`.execute(
          root,
        )
        await sql`insert into runs_lease (run_id, state, wake_at, idle_since) values (${id}, ${lease}, now(), now())`.execute(
          root,
        )
        for (const seq of [1, 2])
          await sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
          values (${id}, ${seq}, now(), 'step.started', '[]', '', ${text})`.execute(root)
      }
      await runAll(root, (await migrationFiles()).slice(4))
      const { store } = createWorld(database)
      const upTo = { queuedPerNamespace: 10, queuedPerCaller: 10 }
      const usage = () => readRunUsage(store.reader<RunsTables>(), { namespaceUid: 'uid', caller: 'alice' }, upTo)
      const before = await usage()
      assert.deepEqual([before.queuedInNamespace, before.queuedByCaller], [1, 1])
      assert.ok(before.storedBytes > 0)
      const { claims } = await store.transact((tx) =>
        claimRuns(tx.tables<RunsTables>(), { holder: 'w', limit: 5, share: 5, held: new Map() }),
      )
      assert.deepEqual(
        claims.map(({ runId, namespaceUid, tries, bytes }) => [runId, namespaceUid, tries, bytes]),
        [[waiting, 'uid', 0, before.storedBytes / 2]],
      )
      const runs = await store.transact((tx) => deleteRunContent(tx.tables<RunsTables>(), [waiting, ended]))
      assert.deepEqual(
        runs.map((run) => run.input_tokens),
        [7, 7],
      )
      assert.equal((await usage()).storedBytes, 0)
    },
  )

/** Inserts runs that failed, are queued, or succeeded, one each second; more than a page of the migration. Returns the first. */
async function insertRuns(root: Kysely<unknown>, count: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id, trigger_kind,
      trigger_by, subject, state, fail_reason, trace_id, input_tokens, created_at, started_at, finished_at)
    select id, 1, 'team', 'ns', 'robot', 'a', 'c', id, 'api', 'alice', 'alice',
      case n % 10 when 0 then 'failed' when 3 then 'queued' else 'succeeded' end, case n % 10 when 0 then 'agent_error' end,
      't', 7, at, case when n % 10 <> 3 then at end, case when n % 10 <> 3 then at + interval '2 seconds' end
    from (select n, gen_random_uuid() as id, '2026-03-04T05:06:07Z'::timestamptz + make_interval(secs => n) as at
      from generate_series(0, ${count - 1}::int) n) given
    returning id`.execute(root)
  const [first] = rows
  assert.ok(first !== undefined)
  await sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, micros, currency, mixed, reported, own_reports)
    values (${first.id}, 2, 0, 2, true, 1500, 'USD', false, 0, 0)`.execute(root)
  return first.id
}

for (const { name, skip, open } of pluginAdapters)
  test(
    `${name}: runs from before statistics are counted, with models and only the times they have`,
    { skip },
    async (t) => {
      const database = await open(t)
      const { root } = database
      await migrate(database, [storeMigrations, cluster])
      const files = await migrationFiles()
      const at = files.findIndex((file) => file.startsWith('0020-'))
      await runAll(root, files.slice(0, at))
      const count = 5_003
      const id = await insertRuns(root, count)
      const store = createStore(database, { projections: [] })
      const payer = { namespace: 'team', namespaceUid: 'ns', agent: null }
      // A call of a role for the run is not one of its agent.
      for (const call of [{ model: 'embed', payer }, { model: 'small' }, { model: 'large' }])
        await store.transact((tx) => tx.append(`calls/${call.model}`, 0, [meteredEvent({ runId: id, ...call })]))
      await runAll(root, files.slice(at))
      const group = (state: string, model: string, runs: number, micros = 0) => ({
        state,
        model,
        runs,
        tokens: 7 * runs,
        micros,
      })
      const expected = [
        group('failed', '', 500),
        group('failed', 'small', 1, 1500),
        group('queued', '', 500),
        group('succeeded', '', count - 1001),
      ]
      for (const width of [60, 300, 3600, 86_400]) {
        const { rows } = await sql`
        select state, model, sum(runs)::int as runs, sum(input_tokens)::int as tokens, sum(micros)::int as micros
        from runs_sums where width = ${width} group by 1, 2 order by 1, 2`.execute(root)
        assert.deepEqual(rows, expected, String(width))
      }
      const times = async () =>
        (
          await sql`select count(duration)::int as ended, count(queue)::int as started, count(first_token)::int as tokens,
          (select sum(first_token)::text from runs_sums where width = 60) as histogram from runs_counted`.execute(root)
        ).rows
      const right = [{ ended: count - 500, started: count - 500, tokens: 0, histogram: '0' }]
      assert.deepEqual(await times(), right)
      await sql.raw('alter function runs_bucket(interval) called on null input').execute(root)
      const { rows: all } = await sql<{ id: string }>`select id from runs_runs`.execute(root)
      await store.transact((tx) =>
        countRunsIn(
          tx.tables<RunsTables>(),
          all.map((run) => run.id),
        ),
      )
      assert.notDeepEqual(await times(), right, 'as the first form of the migration counted')
      await root.transaction().execute((tx) => countAgain(tx))
      assert.deepEqual(await times(), right)
    },
  )
