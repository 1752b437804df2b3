import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { createLogger } from '#core/log/create-logger.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createLeaderElection, StaleEpoch } from '#core/database/leader-election.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { adapters, pluginAdapters } from '#core/database/testing/databases.ts'
import { sealDays } from '../seal/seal-days.ts'
import { verify } from '../seal/verify.ts'
import { daysPerTransaction, dropExpiredDays, dropSealedDays } from './drop-expired-days.ts'
import type { AuditTables } from '../contract/tables.ts'
import { writeRows } from './write-rows.ts'
import { rowOf, startOfToday } from '../testing/rows.ts'

const dayMs = 86_400_000
const today = await startOfToday()
const name = 'audit.retention'
const [, postgres] = adapters
const silent = createLogger({ destination: { write: () => undefined } })

// A log with one row per day, sealed until yesterday, and the term of its leader.
async function setUp(
  t: TestContext,
  { open, days }: { open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>; days: number },
) {
  const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
  const database = await open(t, [storeMigrations, own])
  const store = createStore(database, { projections: [] })
  const write = (n: number, at: number) =>
    store.transact((tx) => writeRows(tx.tables<AuditTables>(), [rowOf(n, at)], 400))
  for (let ago = days; ago >= 0; ago--) await write(ago, today - ago * dayMs)
  const asLeader = async (work: (term: { name: string; epoch: bigint }) => Promise<void>): Promise<void> => {
    const election = createLeaderElection({ database, holder: 'one', name })
    await election.run(async ({ epoch }) => work({ name, epoch }), new AbortController().signal)
  }
  await asLeader(async (term) => void (await sealDays({ store, log: silent }, term, 0)))
  const partitionsOf = async (table: string): Promise<number> => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_inherits where inhparent = ${table}::regclass`.execute(database.root)
    return rows[0]?.n ?? 0
  }
  return { database, store, write, asLeader, partitionsOf }
}

for (const { name: adapter, skip, open } of pluginAdapters)
  test(
    `${adapter}: A7, A12: a backlog of days is dropped month by month, with the digests of their rows`,
    { skip },
    async (t) => {
      const rig = await setUp(t, { open, days: daysPerTransaction + 4 })
      assert.equal(await rig.partitionsOf('audit_seal_blocks'), daysPerTransaction + 4)
      await rig.asLeader(async (term) => {
        const gone = await dropExpiredDays(rig.store, term, 2)
        assert.equal(gone.length, daysPerTransaction + 2)
      })
      assert.equal(await rig.partitionsOf('audit_log'), 3)
      assert.equal(await rig.partitionsOf('audit_seal_blocks'), 2)
      const verdict = await verify(rig.store)
      assert.ok(verdict.ok, JSON.stringify(verdict))
      const reported = (await rig.store.readStream('audit/seals')).filter(({ type }) => type.includes('rows-removed'))
      assert.equal(reported.length, daysPerTransaction + 2)
    },
  )

test(
  'A12: retention yields to long readers of the log, and writers do not queue behind it',
  { skip: postgres.skip },
  async (t) => {
    const rig = await setUp(t, { open: postgres.open, days: 4 })
    const read = Promise.withResolvers<void>()
    const reading = Promise.withResolvers<void>()
    const reader = rig.database.root.transaction().execute(async (tx) => {
      await sql`select from audit_log`.execute(tx)
      reading.resolve()
      await read.promise
    })
    await reading.promise
    const isWaiting = async (): Promise<void> => {
      const { rows } = await sql`select from pg_locks
        where relation = 'audit_log'::regclass and mode = 'AccessExclusiveLock' and not granted`.execute(
        rig.database.root,
      )
      assert.equal(rows.length, 1)
    }
    const pruning = rig.store.transact((tx) => dropSealedDays(tx.tables<AuditTables>(), 2))
    const failed = assert.rejects(pruning, (error) => codeOf(error) === '55P03')
    await t.waitFor(isWaiting, { interval: 5 })
    await rig.write(100, Date.now())
    await failed
    await rig.asLeader(async (term) => {
      const removing = dropExpiredDays(rig.store, term, 2)
      await t.waitFor(isWaiting, { interval: 5 })
      read.resolve()
      await reader
      assert.equal((await removing).length, 2)
    })
    assert.equal(await rig.partitionsOf('audit_log'), 3)
  },
)

test(
  'O5, A12: a former leader drops nothing, however many days a transaction covers',
  { skip: postgres.skip },
  async (t) => {
    const rig = await setUp(t, { open: postgres.open, days: 4 })
    let ended = { name, epoch: 0n }
    await rig.asLeader(async (term) => void (ended = term))
    await rig.asLeader(async () => {
      await assert.rejects(dropExpiredDays(rig.store, ended, 2), StaleEpoch)
    })
    assert.equal(await rig.partitionsOf('audit_log'), 5)
  },
)
