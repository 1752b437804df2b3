import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { RunGroupBy } from '#schemas/api/run-stats.ts'
import type { RunFilter } from '../contract/caller-runs.ts'
import type { RunsTables } from '../contract/tables.ts'
import { countRunsIn } from '../store/sums/count-runs.ts'
import { countRuns } from '../store/lists/select-runs.ts'
import { createWorld } from '../testing/world.ts'
import { parseWindow } from './stats-window.ts'
import { readStats } from './read-stats.ts'
import { toStats } from './to-stats.ts'

const access = { verb: 'list', resource: 'runs', namespace: '' } as Access<'list', 'runs'>
const runs = 3000
const start = Date.parse('2026-11-02T10:00:00Z')
const everySeconds = 37

/** Runs of four agents in two namespaces, one each 37 seconds, with known durations, failures and costs. */
async function openFilled(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const own = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
  const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, own])
  for (const name of ['a', 'b'])
    await sql`insert into object_index (kind, namespace, name, uid, rv, content_hash)
      values ('Namespace', '', ${name}, ${`uid-${name}`}, '1', '')`.execute(database.root)
  await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id, trigger_kind,
      trigger_by, subject, state, fail_reason, labels, trace_id, input_tokens, output_tokens, created_at, started_at, finished_at)
    select id, 1, space, 'uid-' || space, 'robot-' || n % 2, space || n % 2, 'c-' || n % 100, id, case n % 5 when 0 then 'api' else 'invoke' end, 'x',
      'user-' || n % 1000, case when n % 10 = 0 then 'failed' when n % 100 = 7 then 'paused' else 'succeeded' end,
      case when n % 10 = 0 then 'agent_error' end, case when n % 50 = 0 then '{"team": "red"}' else '{}' end::jsonb, 't', 10, 5, at,
      at + interval '1 second', case when n % 100 <> 7 then at + interval '1 second' + make_interval(secs => n) end
    from (select n, gen_random_uuid() as id, case n / 2 % 2 when 0 then 'a' else 'b' end as space,
      to_timestamp(${start / 1000}::float8 + n * ${everySeconds}::float8) as at from generate_series(0, ${runs - 1}::int) n) given`.execute(
    database.root,
  )
  await sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, model, micros, currency, mixed, reported, own_reports)
    select id, 1, 0, 1, true, case when agent_name = 'robot-0' then 'small' else 'large' end, 1500, 'USD', false, 0, 0 from runs_runs`.execute(
    database.root,
  )
  const { store } = createWorld(database)
  const db = store.reader<RunsTables>()
  const ids = await db.selectFrom('runs_runs').select('id').execute()
  await store.transact((tx) =>
    countRunsIn(
      tx.tables<RunsTables>(),
      ids.map(({ id }) => id),
    ),
  )
  return db
}

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: statistics are those of the list with the same filters`, { skip }, async (t) => {
    const db = await openFilled(t, open)
    const read = async (
      query: Parameters<typeof parseWindow>[0],
      filter: RunFilter = {},
      groupBy?: RunGroupBy,
      top = 10,
    ) => {
      const window = parseWindow(query, new Date())
      const found = await readStats(db, { access: [access], filter, window, groupBy, top })
      return toStats(found, { groupBy, top, tenants: new Map([['a', 'red']]) })
    }
    const day = { from: '2026-11-02T00:00:00Z', to: '2026-11-04T00:00:00Z' }
    const filters: readonly RunFilter[] = [
      {},
      { agent: 'robot-1' },
      { state: 'failed' as const },
      { states: ['failed', 'paused'] as const },
      { failReasons: ['agent_error'] as const },
      { trigger: 'api' },
      { model: 'small' },
      { subject: 'user-7' },
      { conversationId: 'c-7' },
      { label: ['team', 'red'] as const },
      { minDurationMs: 2_000_000 },
      { hasFeedback: false, agent: 'robot-0' },
      { prefix: 'user-99' },
      { subject: 'user-7', state: 'paused' as const },
    ]
    for (const filter of filters)
      for (const { from, to } of [
        day,
        { from: '2026-11-02T10:07:00Z', to: '2026-11-03T01:23:00Z' },
        { from: '2026-11-02T11:00:00.001Z', to: '2026-11-02T11:09:59Z' },
      ]) {
        const bounds = { since: new Date(from), until: new Date(to) }
        const stats = await read({ from, to, bins: 20 }, filter)
        const what = JSON.stringify([filter, from])
        assert.equal(stats.count, await countRuns(db, access, { ...filter, ...bounds }), what)
        assert.equal(
          stats.bins.reduce((sum, { count }) => sum + count, 0),
          stats.count,
          what,
        )
      }
    await t.test('groups add up to the whole, and the others are added', async () => {
      for (const groupBy of ['agent', 'state', 'failReason', 'model', 'subject', 'trigger', 'tenant'] as const) {
        const stats = await read({ ...day, interval: '6h' }, {}, groupBy, 3)
        const groups = [...stats.groups, ...(stats.other === null ? [] : [stats.other])]
        assert.equal(
          groups.reduce((sum, { count }) => sum + count, 0),
          runs,
          groupBy,
        )
        assert.equal(
          groups.reduce((sum, { usage }) => sum + usage.inputTokens, 0),
          runs * 10,
          groupBy,
        )
        for (const { bins, count } of stats.groups)
          assert.equal(
            bins.reduce((sum, bin) => sum + bin.count, 0),
            count,
            groupBy,
          )
      }
      const { groups } = await read(day, {}, 'agent')
      assert.deepEqual(groups.map(({ key, agent }) => [key, agent]).toSorted(), [
        ['a0', { namespace: 'a', name: 'robot-0' }],
        ['a1', { namespace: 'a', name: 'robot-1' }],
        ['b0', { namespace: 'b', name: 'robot-0' }],
        ['b1', { namespace: 'b', name: 'robot-1' }],
      ])
      assert.deepEqual(
        (await read(day, {}, 'tenant')).groups.map(({ key }) => key),
        [null, 'red'],
      )
    })
    await t.test('percentiles err by at most a tenth', async () => {
      const durations = Array.from({ length: runs }, (_, n) => n * 1000).filter((_, n) => n % 100 !== 7)
      const { durationMs, queueMs, cost } = await read(day)
      for (const [share, found] of [
        [0.5, durationMs.p50],
        [0.95, durationMs.p95],
        [0.99, durationMs.p99],
      ] as const) {
        const exact = durations[Math.ceil(durations.length * share) - 1] ?? 0
        assert.ok(Math.abs((found ?? 0) - exact) <= exact / 10, `${share}: ${found} is not ${exact}`)
      }
      assert.ok(Math.abs((queueMs.p50 ?? 0) - 1000) <= 100)
      assert.deepEqual(cost, [{ amount: '4.5', currency: 'USD' }])
    })
    await t.test('a short window is exact, and says so', async () => {
      const at = new Date(start + 100 * everySeconds * 1000).toISOString()
      const stats = await read({ from: at, to: new Date(Date.parse(at) + 1).toISOString() })
      assert.deepEqual([stats.count, stats.resolutionMs, stats.from], [1, 1, at])
      assert.equal(
        (await read({ from: at, to: new Date(Date.parse(at) + 3_600_000).toISOString() })).resolutionMs,
        60_000,
      )
    })
  })

test('windows that cannot be read name their parameter', () => {
  const now = new Date('2026-11-29T12:00:00Z')
  for (const [query, pointer] of [
    [{ from: '2026-11-29T12:00:00Z', to: '2026-11-29T12:00:00Z' }, '?to'],
    [{ from: '2026-11-29T13:00:00Z' }, '?to'],
    [{ from: '2010-11-29T13:00:00Z' }, '?from'],
    [{ interval: '7m' }, '?interval'],
    [{ interval: '5h' }, '?interval'],
    [{ interval: '36h' }, '?interval'],
    [{ interval: '1m' }, '?interval'],
    [{ interval: '1h', bins: 3 }, '?bins'],
  ] as const)
    assert.throws(
      () => parseWindow(query, now),
      (error: { readonly errors?: readonly { readonly pointer: string }[] }) => error.errors?.[0]?.pointer === pointer,
      JSON.stringify(query),
    )
  assert.deepEqual(parseWindow({ from: '2016-12-01T00:00:00Z', bins: 500 }, now).binSeconds, 8 * 86_400)
})
