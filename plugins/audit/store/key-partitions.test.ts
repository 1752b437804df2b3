import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { idOf } from '../rows/row-keys.ts'
import type { AuditRow } from '../rows/audit-row.ts'
import { rowOf } from '../testing/rows.ts'
import { rotateKeyPartitions } from './key-partitions.ts'
import { holdSeals } from './seals.ts'
import type { AuditTables } from '../contract/tables.ts'
import { writeRows } from './write-rows.ts'

const at = Date.now() - 1_000

for (const { name, skip, open } of pluginAdapters) {
  const setUp = async (t: TestContext) => {
    const own = { name: 'audit', migrations: new URL('../migrations/', import.meta.url) }
    const database = await open(t, [storeMigrations, own])
    const store = createStore(database, { projections: [] })
    const write = (rows: readonly AuditRow[]) => store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    const turn = (days?: number) => store.transact((tx) => rotateKeyPartitions(tx.tables<AuditTables>(), days))
    const rows = () => store.reader<AuditTables>().selectFrom('audit_log').selectAll().orderBy('id').execute()
    const generations = async () => {
      const { rows: found } = await sql<{ name: string }>`select relname as name from pg_inherits
        join pg_class on oid = inhrelid where inhparent = 'audit_keys'::regclass order by 1`.execute(database.root)
      return found.map((one) => one.name)
    }
    const age = (days: number) =>
      sql`update audit_key_generations set opened_at = opened_at - make_interval(days => ${days}),
        closed_at = closed_at - make_interval(days => ${days})`.execute(database.root)
    return { store, database, write, turn, rows, generations, age }
  }
  type Rig = Awaited<ReturnType<typeof setUp>>
  const check = (what: string, fn: (rig: Rig) => Promise<void>) =>
    test(`${name}: ${what}`, { skip, timeout: 480_000 }, async (t) => fn(await setUp(t)))

  check('A4: three replicas in five replays write a row once while generations rotate', async (rig) => {
    const all = Array.from({ length: 300 }, (_, n) => rowOf(n, at))
    const ended = new AbortController()
    const turning = (async () => {
      let turns = 0
      for (; !ended.signal.aborted || turns < 3; turns++) await rig.turn(0)
      return turns
    })()
    const replica = async (from: number): Promise<void> => {
      for (let replay = 0; replay < 5; replay++)
        for (let start = 0; start < all.length; start += 30) {
          const batch = [...all, ...all].slice((from * 100 + start) % all.length).slice(0, 40)
          await rig.write(batch)
        }
    }
    await Promise.all([0, 1, 2].map(replica)).finally(() => ended.abort())
    const turns = await turning
    assert.deepEqual(
      (await rig.rows()).map(({ id }) => id),
      all.map(({ id }) => id).toSorted(),
    )
    assert.equal((await rig.generations()).length, turns + 1)
    const { rows: keys } = await sql<{ n: number }>`select count(*)::int as n from audit_keys`.execute(
      rig.database.root,
    )
    assert.equal(keys[0]?.n, all.length)
  })

  // PGlite has one connection, so transactions are never concurrent.
  if (name === 'PostgreSQL')
    check('A4: a generation begins only after writers to the previous one have ended', async (rig) => {
      const turned: string[] = []
      const held = Promise.withResolvers<void>()
      const turning = held.promise.then(() => rig.turn(0)).then(() => void turned.push('done'))
      await rig.store.transact(async (tx) => {
        await holdSeals(tx.tables<AuditTables>())
        held.resolve()
        for (let waits = false; !waits && turned.length === 0;) {
          const { rows: found } = await sql`
            select from pg_locks where locktype = 'advisory' and not granted`.execute(tx.tables())
          waits = found.length > 0
        }
        assert.deepEqual(turned, [])
      })
      await turning
      assert.equal((await rig.generations()).length, 2)
    })

  check('A4: a second report of a row finds its key in an older generation', async (rig) => {
    await rig.write([rowOf(1, at)])
    await rig.turn(0)
    const caller = { actor: 'alice', actor_kind: 'user', actor_exact: true, source: 'bff' } as const
    await rig.write([rowOf(1, at + 500, caller)])
    assert.deepEqual(
      (await rig.rows()).map(({ actor, source }) => [actor, source]),
      [['alice', 'controller']],
    )
    await rig.turn(0)
    await rig.write([rowOf(1, at, { ...caller, actor: 'mallory' })])
    assert.deepEqual(
      (await rig.rows()).map(({ actor }) => actor),
      ['alice'],
    )
  })

  check('A4: a denial is counted once across generations', async (rig) => {
    const denial = (event: string) =>
      rowOf(1, at, {
        key: 'denied/1/x',
        id: idOf('denied/1/x'),
        eventKey: `event/${event}`,
        outcome: 'denied',
        source: 'bff',
        actor_exact: true,
        detail: { count: 1 },
      })
    await rig.write([denial('one'), denial('two')])
    await rig.turn(0)
    await rig.write([denial('one'), denial('two'), denial('three')])
    assert.deepEqual(
      (await rig.rows()).map(({ detail }) => detail['count']),
      [3],
    )
  })

  check(
    'goal 10: a generation begins each month, and is dropped a week after its end when its events are pruned',
    async (rig) => {
      const happened = defineEvent({ plugin: 'test', fact: 'happened', summary: 'It did.', data: Type.Object({}) })
      await rig.store.transact((tx) =>
        tx.append('t', 'any', [
          { type: happened, subject: { namespace: undefined, kind: 'Thing', name: 'one' }, data: {} },
        ]),
      )
      // As old as a row whose key was dropped.
      const old = rowOf(1, at - 40 * 86_400_000)
      await rig.write([old])
      await rig.turn()
      assert.deepEqual(await rig.generations(), ['audit_keys_1'])
      await rig.age(30)
      await rig.turn()
      await rig.turn()
      assert.deepEqual(await rig.generations(), ['audit_keys_1', 'audit_keys_2'])
      await rig.age(8)
      await rig.turn()
      assert.deepEqual(await rig.generations(), ['audit_keys_1', 'audit_keys_2'], 'its event may be replayed')
      await sql`delete from events`.execute(rig.database.root)
      await rig.age(-2)
      await rig.turn()
      assert.deepEqual(
        await rig.generations(),
        ['audit_keys_1', 'audit_keys_2'],
        'a second report may arrive within a week',
      )
      await rig.age(2)
      await rig.turn()
      assert.deepEqual(await rig.generations(), ['audit_keys_2'])
      // Its row is kept, and the same row is not inserted again.
      await rig.write([old, rowOf(2, at)])
      assert.equal((await rig.rows()).length, 2)
    },
  )
}
