import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { Term } from '#core/jobs/background-work.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Database } from './database.ts'
import { StaleEpoch, assertEpoch, createLeaderElection } from './leader-election.ts'
import { untilRenewal } from './renew-leases.ts'
import { adapters } from './testing/databases.ts'

// A busy machine must be able to renew in time: PGlite has one connection for all contenders.
const ttlMs = 1_000
// `npm run chaos` sets a higher number.
const pauses = Number(process.env.MESH_PAUSES ?? 8)

// Contenders for separate leases in parallel: a pause is mostly waiting for a lease to expire. PGlite has one connection.
const lanes = { PGlite: 3, PostgreSQL: 10 } as const

test('leases of a process are renewed at the same times, whenever they were acquired', () => {
  const acquired = [3_000, 3_100.5, 3_999.9]
  assert.deepEqual(
    acquired.map((now) => now + untilRenewal(1_000, now)),
    [4_000, 4_000, 4_000],
  )
  assert.equal(untilRenewal(1_000, 4_000), 1_000)
})

for (const adapter of adapters) {
  const check = (name: string, fn: (database: Database, t: TestContext) => Promise<void>): void => {
    test(`${adapter.name}: ${name}`, { skip: adapter.skip, timeout: 480_000 + pauses * 2_000 }, async (t) => {
      const database = await adapter.open(t)
      await sql`create table writes (epoch bigint, leader bigint)`.execute(database.root)
      await fn(database, t)
    })
  }

  check('O5: over many pauses no write of a stale epoch is accepted, and another takes over', async (database, t) => {
    const store = createStore(database, { projections: [] })
    let stale = 0
    const lane = async (name: string, rounds: number): Promise<void> => {
      const write = (epoch: bigint) =>
        store.transact(async (tx) => {
          await assertEpoch(tx.tables(), name, epoch)
          await sql`insert into writes select ${epoch}, epoch from leader where name = ${name}`.execute(tx.tables())
        })
      let leader = await contender(t, database, { holder: 'a', name }).elected()
      let other = contender(t, database, { holder: 'b', name })
      for (let round = 0; round < rounds; round++) {
        await write(leader.term.epoch)
        const next = other.elected()
        const past = leader
        past.who.pause()
        leader = await next
        // The paused process resumes before its signal has fired.
        await assert.rejects(write(past.term.epoch), StaleEpoch)
        stale++
        assert.equal(leader.term.epoch, past.term.epoch + 1n)
        // Every fourth one does not return: a killed process releases no lease, and another process takes its place.
        const isKilled = round % 4 === 3
        await (isKilled ? past.who.kill() : past.who.resume())
        other = isKilled ? contender(t, database, { holder: `c${round}`, name }) : past.who
      }
    }
    const abreast = Math.min(lanes[adapter.name], pauses)
    const share = (index: number): number => Math.floor((pauses + index) / abreast)
    await Promise.all(Array.from({ length: abreast }, (_, index) => lane(`job-${index}`, share(index))))
    const { rows } = await sql`select 1 from writes where epoch <> leader`.execute(database.root)
    assert.equal(rows.length, 0)
    assert.equal(stale, pauses)
  })

  check('the term of a leader that cannot renew ends by itself', async (database, t) => {
    const a = contender(t, database, { holder: 'a', name: 'job' })
    const { term } = await a.elected()
    a.pause()
    if (!term.signal.aborted) await new Promise((resolve) => term.signal.addEventListener('abort', resolve))
    assert.ok(term.signal.aborted)
  })

  check('a leader that stops hands over at once; work that ends by itself ends the run', async (database) => {
    const epochs: bigint[] = []
    for (const holder of ['a', 'b']) {
      const election = createLeaderElection({ database, holder, name: 'job', ttlMs: 60_000 })
      await election.run(async ({ epoch }) => void epochs.push(epoch), new AbortController().signal)
    }
    assert.deepEqual(epochs, [1n, 2n])
  })
}

test('O5: a takeover waits for the destructive statement that is under way', { skip: adapters[1].skip }, async (t) => {
  const database = await adapters[1].open(t)
  const store = createStore(database, { projections: [] })
  const a = contender(t, database, { holder: 'a', name: 'job' })
  const { term } = await a.elected()
  const b = contender(t, database, { holder: 'b', name: 'job' })
  let taken = false
  const next = b.elected().then(() => (taken = true))
  await store.transact(async (tx) => {
    await assertEpoch(tx.tables(), 'job', term.epoch)
    a.pause()
    // Longer than the lease, on the server: the row is expired and still locked.
    await sql`select pg_sleep(${(ttlMs * 3) / 1000})`.execute(tx.tables())
    assert.equal(taken, false)
  })
  await next
})

interface Contender {
  elected(): Promise<{ readonly who: Contender; readonly term: Term }>
  pause(): void
  resume(): void
  /** Kills it during a pause. */
  kill(): Promise<void>
}

// A pause disconnects the database, as SIGSTOP would: neither a renewal nor an attempt to acquire succeeds.
function contender(
  t: TestContext,
  database: Database,
  who: { readonly holder: string; readonly name: string },
): Contender {
  let paused = false
  let announce = Promise.withResolvers<Term>()
  const stopped = new AbortController()
  const pausable: Database = {
    ...database,
    get db() {
      if (paused) throw new Error('paused')
      return database.db
    },
  }
  const election = createLeaderElection({ database: pausable, ...who, ttlMs })
  const running = election.run(async (term) => {
    announce.resolve(term)
    announce = Promise.withResolvers<Term>()
    await new Promise((resolve) => term.signal.addEventListener('abort', resolve))
  }, stopped.signal)
  t.after(async () => {
    paused = false
    stopped.abort()
    await running
  })
  const self: Contender = {
    elected: async () => ({ who: self, term: await announce.promise }),
    pause: () => void (paused = true),
    resume: () => void (paused = false),
    kill: () => {
      paused = true
      stopped.abort()
      return running
    },
  }
  return self
}
