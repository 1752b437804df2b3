import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '../database.ts'
import { assertEpoch, createLeaderElection } from '../leader-election.ts'

// `node leader.ts URL TTL_MS HOLDER`: a contender that writes under its epoch as a job would.
const [url = '', ttlMs = '', holder = ''] = process.argv.slice(2)
const database = await openDatabase({ url, connections: 3 })
const store = createStore(database, { projections: [] })
const election = createLeaderElection({ database, holder, name: 'job', ttlMs: Number(ttlMs) })
await election.run(async ({ epoch, signal }) => {
  while (!signal.aborted) {
    await store
      .transact(async (tx) => {
        // What the leader's row says when this is written: another epoch would be a write of a stale one.
        await assertEpoch(tx, 'job', epoch)
        await sql`insert into writes (epoch, leader) select ${epoch}, epoch from leader where name = 'job'`.execute(
          tx.db,
        )
      })
      // A stale epoch, or the server cut a session that was paused: the renewal says whether this still leads.
      .catch(() => undefined)
    await sleep(10 + Math.random() * 20)
  }
}, new AbortController().signal)
