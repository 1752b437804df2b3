import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { openCost } from '../testing/cost-store.ts'
import { removeOldCost } from './prune.ts'

for (const { name, skip, open } of pluginAdapters) {
  test(
    `${name}: F10: labels of an agent are removed once it is gone and has no cost`,
    { skip, timeout: 480_000 },
    async (t) => {
      const { database, store, label, meter } = await openCost(t, open)
      for (const uid of ['gone', 'live', 'paid', 'new']) await label(uid, { a: uid })
      await meter({ agentUid: 'paid', at: new Date().toISOString() })
      await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
        values ('live', 'AgentDeployment', 'default', 'agent-live', '1', '')`.execute(database.root)
      await sql`update cost_agents set recorded_at = now() - interval '2 days' where uid <> 'new'`.execute(
        database.root,
      )
      await store.transact((tx) => removeOldCost(tx, { retentionDays: 60, limit: 1_000 }))
      const agents = async (): Promise<readonly string[]> =>
        (await sql<{ uid: string }>`select uid from cost_agents order by uid`.execute(database.root)).rows.map(
          ({ uid }) => uid,
        )
      assert.deepEqual(await agents(), ['live', 'new', 'paid'])
      await sql`update cost_days set day = day - 61`.execute(database.root)
      await sql`update cost_runs set day = day - 61`.execute(database.root)
      await store.transact((tx) => removeOldCost(tx, { retentionDays: 60, limit: 1_000 }))
      assert.deepEqual(await agents(), ['live', 'new'])
    },
  )
}
