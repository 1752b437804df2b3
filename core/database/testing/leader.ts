import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '../database.ts'
import { assertEpoch, createLeaderElection } from '../leader-election.ts'

// `node leader.ts URL TTL_MS HOLDER`: a candidate that writes under its epoch like a job.
const [url = '', ttlMs = '', holder = ''] = process.argv.slice(2)
const database = await openDatabase({ url, connections: 3 })
const store = createStore(database, { projections: [] })
const election = createLeaderElection({ database, holder, name: 'job', ttlMs: Number(ttlMs) })
await election.run(async ({ epoch, signal }) => {
  while (!signal.aborted) {
    await store
      .transact(async (tx) => {
        // Value of the lease at the time of the write: another epoch would be a stale write.
        await assertEpoch(tx.tables(), 'job', epoch)
        await sql`insert into writes (epoch, leader) select ${epoch}, epoch from leader where name = 'job'`.execute(
          tx.tables(),
        )
      })
      // A stale epoch, or the server cut a paused session. The renewal decides whether this process still leads.
      .catch(() => undefined)
    await sleep(10 + Math.random() * 20)
  }
}, new AbortController().signal)
