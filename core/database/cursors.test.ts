import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import test from 'node:test'
import type { Keyring } from '#core/signing/keyring.ts'
import { createCursors } from './cursors.ts'
import { cutPage } from './cut-page.ts'

const secret = { id: 'k1', key: createSecretKey(Buffer.alloc(32, 7)) }
const keys: Keyring = {
  current: () => secret,
  find: (_, id) => (id === 'k1' ? secret : undefined),
  jwks: () => ({ keys: [] }),
}
const cursors = createCursors(keys, 'rows')
const refused = { code: 'invalid_cursor' }

test('C1: a changed cursor, or one of another filter or list, is invalid_cursor', () => {
  const filter = { namespace: 'a' }
  const cursor = cursors.seal(['1970-01-01T00:00:00.000Z', '1'], filter)
  assert.deepEqual(cursors.open(cursor, filter), ['1970-01-01T00:00:00.000Z', '1'])
  assert.throws(() => cursors.open(cursor, { namespace: 'b' }), refused)
  assert.throws(() => createCursors(keys, 'other rows').open(cursor, filter), refused)
  for (let at = 0; at < cursor.length; at++) {
    const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
    assert.throws(() => cursors.open(changed, filter), refused, `at ${at}`)
  }
  for (const other of ['', '..', 'a.b.c', '\0', '\ud800', `${cursor}.`, 'a'.repeat(10_000)])
    assert.throws(() => cursors.open(other, filter), refused, JSON.stringify(other.slice(0, 20)))
})

test('CON8: a page has a last item to continue after only if there was one row more', () => {
  assert.deepEqual(cutPage([1, 2, 3], 2), { items: [1, 2], last: 2 })
  assert.deepEqual(cutPage([1, 2], 2), { items: [1, 2], last: undefined })
  assert.deepEqual(cutPage([], 2), { items: [], last: undefined })
})
