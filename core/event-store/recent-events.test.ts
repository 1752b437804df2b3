import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { adapters } from '#core/database/testing/databases.ts'
import { createStore } from './create-store.ts'
import type { NewEvent } from './event.ts'
import { beginRange } from './maintenance/event-retention.ts'
import { readAfter } from './read-events.ts'
import { recentEventsOf } from './recent-events.ts'
import { note } from './testing/notes.ts'

const optional: Partial<NewEvent<{ n: number }>> = {
  actor: { name: 'ada', kind: 'user' },
  correlationId: 'c',
  causationId: '',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  tenant: 't',
  time: new Date('2026-01-02T03:04:05.006Z'),
}
const subjects: readonly NewEvent['subject'][] = [
  { namespace: 'demo', kind: 'Note', name: 'n', namespaceUid: 'u-1', uid: 'u-2' },
  { namespace: undefined, kind: 'Note', name: '' },
  { namespace: 'demo', kind: 'Nöte', name: '"\\\u2028😀', uid: '' },
]

// Each combination of fields, and data as JSON keeps it.
function variants(): NewEvent[] {
  const keys = Object.keys(optional) as (keyof typeof optional)[]
  return Array.from({ length: 2 ** keys.length }, (_, bits) => {
    const some = Object.fromEntries(
      keys.filter((_key, bit) => (bits >> bit) % 2 === 1).map((key) => [key, optional[key]]),
    )
    const data = { z: [null, -0, 1e21, 1.5], a: { '': 'é\n', drop: undefined }, when: new Date(bits) }
    return { ...note(bits), ...some, data, subject: subjects[bits % subjects.length] ?? note(0).subject }
  })
}

for (const adapter of adapters) {
  test(
    `${adapter.name}: a committed event in memory equals its row, and follows the one before`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const store = createStore(database, { projections: [], validate: false })
      await store.transact((tx) => tx.append('notes/first', 0, [note(0)]))
      const recent = recentEventsOf(database)
      const all = variants()
      for (let at = 0; at < all.length; at += 5)
        await store.transact((tx) => tx.append('notes/a', at, all.slice(at, at + 5)))
      const [first, ...rows] = await readAfter(database.db, 0n, 100)
      assert.equal(rows.length, all.length)
      assert.deepStrictEqual(recent.after(first?.position ?? -1n, 100), rows)
      assert.equal(recent.newest, rows.at(-1)?.position)
      assert.deepEqual(recent.after(first?.position ?? -1n, 3), rows.slice(0, 3))
    },
  )

  test(
    `${adapter.name}: no chain leads over positions that another process may have used`,
    { skip: adapter.skip },
    async (t) => {
      const database = await adapter.open(t)
      const store = createStore(database, { projections: [] })
      const append = (n: number) => store.transact((tx) => tx.append('notes/a', n, [note(n)]))
      const recent = recentEventsOf(database)
      await append(0)
      // The first value of a sequence is that before its first use.
      const [only] = await readAfter(database.db, 0n, 10)
      assert.deepEqual([recent.newest, recent.find(2n)], [only?.position, undefined])
      await append(1)
      await database.transaction((tx) => sql`select nextval('events_position')`.execute(tx))
      await append(2)
      await database.db.transaction().execute((db) => beginRange(db, 1))
      await append(3)
      const [one, two, three, four] = await readAfter(database.db, 0n, 10)
      assert.deepEqual(recent.after(one?.position ?? -1n, 10), [two])
      assert.deepEqual(recent.after(two?.position ?? -1n, 10), [])
      assert.deepEqual(recent.after(three?.position ?? -1n, 10), [])
      assert.equal(recent.newest, four?.position)
    },
  )
}

test('recent events are bounded', () => {
  const recent = recentEventsOf({ identity: {} })
  const events = Array.from({ length: 5_000 }, (_, index) => ({ position: BigInt(index + 1) }))
  for (const event of events) recent.addRead(event.position - 1n, [event as never])
  assert.equal(recent.find(4_000n), undefined)
  assert.deepEqual(recent.after(0n, 10), [])
  assert.equal(recent.after(4_500n, 10).length, 10)
  assert.equal(recent.after(4_995n, 10).length, 5)
})
