import { createHash } from 'node:crypto'

/** The seal of a day. */
export interface Seal {
  /** UTC, `2026-11-20`. */
  readonly day: string
  readonly rows: number
  /** SHA-256 over id and digest of every row in order, hexadecimal. */
  readonly digest: string
  readonly head: string
}

/** A day that retention removed. */
export interface Tombstone {
  readonly day: string
  readonly rows: number
  /** End of the day. Rows before this instant were removed. */
  readonly before: Date
  readonly head: string
}

/** The head of a day: it covers its rows and, by the head before it, every day before. */
export function sealHead(previous: string, seal: Omit<Seal, 'head'>): string {
  return sha256([previous, seal.day, seal.rows, seal.digest])
}

/** The head of a tombstone: chained to the one before it, and bound to the seal of its day. */
export function tombstoneHead(previous: string, tombstone: Omit<Tombstone, 'head'>, sealOfDay: string): string {
  return sha256([previous, tombstone.day, tombstone.rows, tombstone.before.toISOString(), sealOfDay])
}

function sha256(fields: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** The first difference in the rows of a day. */
export interface RowFault {
  readonly row: string
  readonly fault: 'changed' | 'missing' | 'inserted'
}

const idBytes = 16
const entryBytes = 48

/** Compares the entries (id and digest of a row each) of a block as they were sealed with those of today. */
export function firstFault(sealed: Buffer, actual: Buffer): RowFault | undefined {
  const known = new Set(entriesOf(actual).map(idOf))
  const now = entriesOf(actual)
  for (const [index, entry] of entriesOf(sealed).entries()) {
    const found = now[index]
    if (found?.equals(entry) === true) continue
    if (!known.has(idOf(entry))) return { row: idOf(entry), fault: 'missing' }
    if (found === undefined || idOf(found) === idOf(entry)) return { row: idOf(entry), fault: 'changed' }
    return { row: idOf(found), fault: 'inserted' }
  }
  const more = now[sealed.length / entryBytes]
  return more === undefined ? undefined : { row: idOf(more), fault: 'inserted' }
}

function entriesOf(block: Buffer): readonly Buffer[] {
  return Array.from({ length: block.length / entryBytes }, (_, n) =>
    block.subarray(n * entryBytes, (n + 1) * entryBytes),
  )
}

function idOf(entry: Buffer): string {
  const hex = entry.toString('hex', 0, idBytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
