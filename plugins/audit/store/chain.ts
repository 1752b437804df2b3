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

/** The head of a day: it covers its rows and, through the previous head, all earlier days. */
export function sealHead(previous: string, seal: Omit<Seal, 'head'>): string {
  return sha256([previous, seal.day, seal.rows, seal.digest])
}

/** The head of a tombstone: chained to the previous one, and bound to the seal of its day. */
export function tombstoneHead(previous: string, tombstone: Omit<Tombstone, 'head'>, sealOfDay: string): string {
  return sha256([previous, tombstone.day, tombstone.rows, tombstone.before.toISOString(), sealOfDay])
}

function sha256(fields: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** Name of the lease under which days are sealed and dropped. */
export interface SealingTerm {
  readonly name: string
  readonly epoch: bigint
}
