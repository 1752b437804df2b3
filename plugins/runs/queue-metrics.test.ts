import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { migrate, storeMigrations } from '#core/store/migrate.ts'
import { adapters } from '#core/store/testing/databases.ts'
import { readQueue } from './store/queue.ts'
import { claimRuns } from './store/claims.ts'
import type { RunsTables } from './store/tables.ts'
import { createWorld, queueRun } from './testing/world.ts'

for (const adapter of adapters) {
  test(
    `${adapter.name}: the queue counts runs that wait, how long, and runs that are held`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      await migrate(database, [
        storeMigrations,
        { name: 'runs', migrations: new URL('./migrations/', import.meta.url) },
      ])
      const world = createWorld(database)
      const reader = world.store.reader<RunsTables>()
      assert.deepEqual(await readQueue(reader), { waiting: 0, oldestSeconds: 0, held: 0 })
      await queueRun(world, {})
      await queueRun(world, {})
      await sql`update runs_lease set wake_at = wake_at - interval '90 seconds'`.execute(database.root)
      const before = await readQueue(reader)
      assert.deepEqual([before.waiting, before.held], [2, 0])
      assert.ok(before.oldestSeconds >= 90 && before.oldestSeconds < 150, String(before.oldestSeconds))
      await world.store.transact<RunsTables, unknown>((tx) =>
        claimRuns(tx.db, { holder: 'w1', limit: 1, share: 1, held: new Map() }),
      )
      const during = await readQueue(reader)
      assert.deepEqual([during.waiting, during.held], [1, 1])
      await sql`update runs_lease set expires_at = now() - interval '1 second' where holder is not null`.execute(
        database.root,
      )
      assert.equal((await readQueue(reader)).waiting, 2, 'a lease that ran out holds nothing')
    },
  )
}
