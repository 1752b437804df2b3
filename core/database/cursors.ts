import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '#core/signing/keyring.ts'
import { Fail } from '#core/errors/domain-error.ts'

/** Opaque cursors of lists: signed, and bound to the query that they continue (C1). */
export interface Cursors {
  /** Wraps a position; `filter` is everything that must be the same on the next page. */
  seal(position: unknown, filter: unknown): string
  /** The position; `invalid_cursor` when it was changed or belongs to another query. */
  open(cursor: string, filter: unknown): unknown
}

// An API server's `continue` is about 200 bytes; anything far above was not made here.
const MAX_LENGTH = 8192

/** Cursors of one route: `purpose` keeps a cursor of one list from opening another. */
export function createCursors(keys: Keyring, purpose: string): Cursors {
  return {
    seal: (position, filter) => {
      const { id, key } = keys.current('cursor')
      const body = Buffer.from(JSON.stringify([position, digest(purpose, filter)])).toString('base64url')
      return `${toText(id)}.${body}.${mac(key, body).toString('base64url')}`
    },
    open: (cursor, filter) => {
      const [position, bound] = verified(keys, cursor)
      if (bound !== digest(purpose, filter)) throw refused()
      return position
    },
  }
}

function verified(keys: Keyring, cursor: string): readonly unknown[] {
  const [id, body, signature, more] = cursor.length > MAX_LENGTH ? [] : cursor.split('.')
  if (id === undefined || body === undefined || signature === undefined || more !== undefined) throw refused()
  const key = keys.find('cursor', Buffer.from(id, 'base64url').toString())
  // The id is outside the signature, and a decoder skips what is no base64url.
  if (key === undefined || toText(key.id) !== id) throw refused()
  // As text: base64url leaves bits of its last character unused, and a changed cursor is a changed cursor.
  const expected = Buffer.from(mac(key.key, body).toString('base64url'))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refused()
  const read: unknown = JSON.parse(Buffer.from(body, 'base64url').toString())
  return Array.isArray(read) ? read : []
}

function toText(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function mac(key: Parameters<typeof createHmac>[1], body: string): Buffer {
  return createHmac('sha256', key).update(body).digest()
}

function digest(purpose: string, filter: unknown): string {
  const text = JSON.stringify([purpose, filter])
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function refused(): Fail {
  return new Fail('invalid_cursor', undefined, {
    errors: [{ pointer: '?cursor', detail: 'is not a cursor of this list' }],
  })
}
