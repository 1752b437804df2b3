import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createShareRetention } from './jobs.ts'
import { openShares } from './testing/shares.ts'

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: F10: expired shares are removed with their snapshots, by the leader only`, { skip }, async (t) => {
    const { run, start, database, usage, services } = await openShares(t, open)
    const { app } = await start()
    const { id } = await run()
    const headers = { authorization: 'Bearer alice-token' }
    for (let n = 0; n < 7; n++)
      await app.inject({ method: 'POST', url: `/api/runs/${id}/shares`, headers, payload: {} })
    await sql`update sharing_shares set expires_at = clock_timestamp() - interval '1 second'
      where id in (select id from sharing_shares order by id limit 5)`.execute(database.root)
    await sql`insert into leader (name, holder, epoch, expires_at) values ('sharing.retention', 'me', 2, 'infinity')`.execute(
      database.root,
    )
    const job = createShareRetention(services, 2)
    const signal = new AbortController().signal
    await assert.rejects(job.run({ epoch: 1n, signal }), { name: 'StaleEpoch' })
    assert.equal((await usage())?.[0], 7)
    await job.run({ epoch: 2n, signal })
    assert.equal((await usage())?.[0], 2)
    const { rows } = await sql<{
      bytes: number
    }>`select coalesce(sum(octet_length(head) + octet_length(events)), 0)::integer as bytes
      from sharing_snapshots`.execute(database.root)
    assert.equal(rows[0]?.bytes, (await usage())?.[1], 'the bytes of a namespace are those of its snapshots')
    await sql`update sharing_shares set expires_at = clock_timestamp()`.execute(database.root)
    await job.run({ epoch: 2n, signal })
    assert.equal(await usage(), undefined, 'an empty namespace has no row')
  })
}
