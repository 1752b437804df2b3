import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import test from 'node:test'
import { sql } from 'kysely'
import { createCursors } from './cursors.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { createKeyset } from './keyset.ts'
import { adapters } from './testing/databases.ts'

interface Row {
  readonly at: Date
  readonly id: number
}

const secret = { id: 'k1', key: createSecretKey(Buffer.alloc(32, 7)) }
const keys: Keyring = {
  current: () => secret,
  find: (_, id) => (id === 'k1' ? secret : undefined),
  jwks: () => ({ keys: [] }),
}

const keyset = createKeyset<Row>({
  columns: [
    { name: 'at', type: 'timestamptz' },
    { name: 'id', type: 'integer' },
  ],
  direction: 'desc',
  key: (row) => [row.at, row.id],
  cursors: createCursors(keys, 'rows'),
})

for (const adapter of adapters) {
  test(`C2: ${adapter.name}: a walk during inserts sees every earlier row once`, { skip: adapter.skip }, async (t) => {
    const { root } = await adapter.open(t)
    await sql`create table rows (at timestamptz not null, id integer not null, primary key (at, id))`.execute(root)
    // Five rows per instant, so that the last column decides the order.
    await sql`insert into rows select to_timestamp(n / 5), n from generate_series(1, 500) n`.execute(root)
    const enough = new AbortController()
    const inserting = (async () => {
      for (let n = 501; !enough.signal.aborted; n++) {
        await sql`insert into rows values (to_timestamp(${Math.floor(Math.random() * 200)}::integer), ${n})`.execute(
          root,
        )
      }
    })()
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const after: string | null = cursor
      const where = after === null ? sql`true` : keyset.after(keyset.open(after, { filter: 1 }))
      const { rows } = await sql<Row>`select at, id from rows where ${where}
        order by ${keyset.orderBy()} limit 21`.execute(root)
      const page = keyset.page(rows, 20, { filter: 1 })
      seen.push(...page.items.map((row) => row.id))
      cursor = page.nextCursor
    } while (cursor !== null)
    enough.abort()
    await inserting
    assert.equal(new Set(seen).size, seen.length, 'no duplicate')
    const early = new Set(seen.filter((id) => id <= 500))
    assert.equal(early.size, 500, 'every row present at the start')
  })
}

test('C1: a changed cursor, or one of another filter, is invalid_cursor', () => {
  const { nextCursor } = keyset.page(
    [
      { at: new Date(0), id: 1 },
      { at: new Date(1), id: 2 },
    ],
    1,
    { namespace: 'a' },
  )
  assert.ok(nextCursor !== null)
  assert.deepEqual(keyset.open(nextCursor, { namespace: 'a' }), ['1970-01-01T00:00:00.000Z', '1'])
  const refused = { code: 'invalid_cursor' }
  assert.throws(() => keyset.open(nextCursor, { namespace: 'b' }), refused)
  for (let at = 0; at < nextCursor.length; at++) {
    const other = nextCursor[at] === 'A' ? 'B' : 'A'
    const changed = nextCursor.slice(0, at) + other + nextCursor.slice(at + 1)
    // The last character of base64url may contain unused bits; equal bytes are the same cursor.
    if (at < nextCursor.length - 1) assert.throws(() => keyset.open(changed, { namespace: 'a' }), refused, `at ${at}`)
  }
  assert.throws(() => keyset.open('', { namespace: 'a' }), refused)
})
