import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { StaleEpoch } from '#core/database/leader-election.ts'
import { migrate } from '#core/database/migrate.ts'
import { createRetention } from '#core/event-store/maintenance/event-retention.ts'
import { adapters } from '#core/database/testing/databases.ts'
import { pruneTombstones } from './object-index.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'

for (const adapter of adapters) {
  test(
    `${adapter.name}: O5: retention deletes tombstones older than the window, and only as the leader`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      await migrate(database, [{ name: 'cluster', migrations: clusterMigrations }])
      await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at) values
        ('alive', 'Agent', 'demo', 'a', '1', 'x', null),
        ('young', 'Agent', 'demo', 'b', '1', 'x', now() - interval '29 days'),
        ('old', 'Agent', 'demo', 'c', '1', 'x', now() - interval '31 days')`.execute(database.root)
      await sql`insert into leader (name, holder, epoch, expires_at)
        values ('events.retention', 'another', 7, now() + interval '1 minute')`.execute(database.root)
      const known = async () => {
        const { rows } = await sql<{ uid: string }>`select uid from object_index order by uid`.execute(database.root)
        return rows.map(({ uid }) => uid)
      }
      const { signal } = new AbortController()
      const retain = (epoch: bigint) =>
        createRetention({ database, retentionDays: 30, also: [pruneTombstones] }).run({ epoch, signal })
      await assert.rejects(retain(6n), StaleEpoch)
      assert.deepEqual(await known(), ['alive', 'old', 'young'])
      await retain(7n)
      assert.deepEqual(await known(), ['alive', 'young'])
      // Another process may take over between two steps, so each checks the epoch.
      await sql`update object_index set deleted_at = now() - interval '31 days' where uid = 'young'`.execute(
        database.root,
      )
      const losing = createRetention({
        database,
        retentionDays: 30,
        also: [(db) => sql`update leader set epoch = 8 where name = 'events.retention'`.execute(db), pruneTombstones],
      })
      await assert.rejects(losing.run({ epoch: 7n, signal }), StaleEpoch)
      assert.deepEqual(await known(), ['alive', 'young'])
    },
  )
}
