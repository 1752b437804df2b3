import { randomFillSync } from 'node:crypto'

const idBytes = 16
// A pool of random bytes for many ids: requesting bytes for each id costs 1.3 us, more than the rest of its generation.
const pool = Buffer.allocUnsafeSlow(256 * idBytes)
let used = pool.length

/** A UUIDv7 (RFC 9562): 48 bits of milliseconds, then random bits. Its order is never relied on. */
export function uuidV7(now: number = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, (used += idBytes))
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
