import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { deleteRuns } from '../retention/delete-runs.ts'
import { countRunsIn } from '../store/sums/count-runs.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createWorld, queueRunOf } from '../testing/world.ts'
import { readStatsOfAgents } from './stats-of-agents.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
const worker = { name: 'worker', kind: 'system' } as const
const everywhere = [{ verb: 'list', resource: 'runs', namespace: '' }] as unknown as AccessScope<'list', 'runs'>
const nowhere = [{ verb: 'list', resource: 'runs', namespace: 'other' }] as unknown as AccessScope<'list', 'runs'>

async function openWorld(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const database = await open(t, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, runsMigrations])
  await sql`insert into object_index (kind, namespace, name, uid, rv, content_hash)
    values ('Namespace', '', 'default', 'ns-uid', '1', '')`.execute(database.root)
  const world = createWorld(database)
  const count = (...ids: string[]) => world.store.transact((tx) => countRunsIn(tx.tables<RunsTables>(), ids))
  const make = async (at: string, state: 'succeeded' | 'failed' | 'queued', ms = 1000) => {
    const { id } = await queueRunOf(world, {})
    if (state !== 'queued')
      await world.writer.change(id, { actor: worker }, () => ({
        facts: [
          { fact: 'started', epoch: 1, segment: 1 },
          state === 'failed' ? { fact: 'failed', failReason: 'agent_error' } : { fact: 'succeeded' },
        ],
      }))
    await sql`update runs_runs set created_at = ${at}, started_at = ${at}, input_tokens = 10, output_tokens = 5,
      finished_at = ${state === 'queued' ? null : at}::timestamptz + make_interval(secs => ${ms / 1000}) where id = ${id}`.execute(
      database.root,
    )
    await count(id)
    return id
  }
  const stats = (from: string, to: string, bins = 2, access = everywhere) =>
    readStatsOfAgents(world.store.reader<RunsTables>(), access, { from: new Date(from), to: new Date(to), bins })
  return { database, world, count, make, stats }
}

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: statistics of agents follow the runs, and forget those that were removed`, { skip }, async (t) => {
    const { database, world, count, make, stats } = await openWorld(t, open)
    const first = await make('2026-11-02T10:15:30Z', 'succeeded', 100)
    await make('2026-11-02T10:59:59.999Z', 'failed', 10_000)
    await make('2026-11-02T11:00:00Z', 'queued')
    await make('2026-10-30T00:00:00Z', 'succeeded', 100)
    const found = (await stats('2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z')).get('uid-1')
    assert.deepEqual({ ...found, p50Ms: 0, p95Ms: 0 }, { ...expected, p50Ms: 0, p95Ms: 0 })
    near(found?.p50Ms, 100)
    near(found?.p95Ms, 10_000)
    await count(first, first)
    assert.equal(
      (await stats('2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z')).get('uid-1')?.runs,
      3,
      'a repeat adds nothing',
    )
    assert.equal((await stats('2026-11-01T00:00:00Z', '2026-11-03T00:00:00Z')).get('uid-1')?.runs, 3)
    assert.equal((await stats('2026-10-01T00:00:00Z', '2026-12-01T00:00:00Z', 61)).get('uid-1')?.runs, 4)
    assert.equal((await stats('2026-11-02T10:15:00Z', '2026-11-02T10:16:00Z', 1)).get('uid-1')?.runs, 1)
    assert.equal((await stats('2026-11-02T10:14:00Z', '2026-11-02T10:15:00Z', 1)).size, 0)
    assert.equal((await stats('2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z', 2, nowhere)).size, 0)
    await world.store.transact((tx) => deleteRuns(tx, [first], worker))
    await count(first)
    assert.equal((await stats('2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z')).get('uid-1')?.runs, 2)
    await sql`update object_index set deleted_at = now() where uid = 'ns-uid'`.execute(database.root)
    assert.equal((await stats('2026-11-02T10:00:00Z', '2026-11-02T12:00:00Z')).size, 0)
  })

const expected = {
  runs: 3,
  failed: 1,
  cost: null,
  tokens: 45,
  bins: [
    { ok: 1, failed: 1 },
    { ok: 0, failed: 0 },
  ],
}

function near(found: number | null | undefined, exact: number): void {
  assert.ok(
    found !== null && found !== undefined && Math.abs(found - exact) <= exact / 10,
    `${found} is not near ${exact}`,
  )
}
