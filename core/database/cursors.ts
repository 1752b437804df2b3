import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from '#core/signing/keyring.ts'
import { Fail } from '#core/errors/domain-error.ts'

/** Opaque list cursors, signed and bound to the query that they continue (C1). */
export interface Cursors {
  /** Signs a position. `filter` is everything that must be equal on the next page. */
  seal(position: unknown, filter: unknown): string
  /** Returns the position. Throws `invalid_cursor` if it was changed or belongs to another query. */
  open(cursor: string, filter: unknown): unknown
}

// An API server's `continue` is about 200 bytes; anything far longer was not issued here.
const MAX_LENGTH = 8192

/** Creates the cursors of one route. `purpose` prevents the use of one list's cursor on another. */
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
  // The id is outside the signature, and a decoder skips characters that are not base64url.
  if (key === undefined || toText(key.id) !== id) throw refused()
  // Compared as text: base64url leaves bits of the last character unused, and any change must be refused.
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
