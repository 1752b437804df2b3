import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { decideStart } from '../lifecycle/decide.ts'
import { claimRuns } from '../store/claims.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { RunsTables } from '../store/tables.ts'
import { createWorld, queueRun } from '../testing/world.ts'
import { LeaseLost, workerAuthor } from '../lifecycle/run-writer.ts'

const migrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }

const one = (holder: string) => ({ holder, limit: 1, share: 1, held: new Map<string, number>() })

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: O6: a worker that has lost its lease writes nothing`, { skip }, async (t) => {
    const database = await open(t)
    await migrate(database, [storeMigrations, migrations])
    const world = createWorld(database)
    const run = await queueRun(world, {})
    const claim = async (holder: string): Promise<Claim> => {
      const { claims } = await world.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), one(holder)))
      const [claimed] = claims
      assert.ok(claimed, `${holder} has no claim`)
      return claimed
    }
    const start = (by: Claim) =>
      world.writer.change(run.id, workerAuthor(by, run), (facts) => ({ facts: decideStart(facts, by.epoch) }))

    const paused = await claim('paused')
    const none = await world.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), one('other')))
    assert.deepEqual(none, { claims: [], more: false })
    await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second'`.execute(database.root)
    const next = await claim('next')
    assert.ok(next.epoch > paused.epoch)
    await assert.rejects(start(paused), LeaseLost)
    assert.equal((await start(next))?.state, 'running')
    await assert.rejects(start(paused), LeaseLost)
  })
}
