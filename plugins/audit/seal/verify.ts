import { dayAfter } from '../store/day-partitions.ts'
import type { Store } from '#core/event-store/store.ts'
import { differingBlock, digestOfBlocks, readSeals, readTombstones, rowBefore } from '../store/seals.ts'
import type { AuditReader } from '../store/seals.ts'
import type { AuditTables } from '../contract/tables.ts'
import { sealHead, tombstoneHead } from '../store/chain.ts'
import { firstFault } from './compare-rows.ts'
import type { Seal, Tombstone } from '../store/chain.ts'

/** Result of comparing the sealed days with their seals. */
export type SealVerdict =
  | { readonly ok: true; readonly days: number; readonly rows: number; readonly last: Seal | undefined }
  | { readonly ok: false; readonly day: string; readonly row?: string; readonly fault: Fault }

/** Kind of a difference in a row, a seal, a tombstone or a published head. */
export type Fault = 'changed' | 'missing' | 'inserted' | 'seal' | 'tombstone' | 'unpublished'

/** Published heads by day. `verify` compares the chain with them. */
export type Heads = ReadonlyMap<string, string>

/**
 * Follows the chain from its first day and reports the first day and row that differ. Write access to the database permits a
 * complete new chain: only heads kept outside of it (log, events) reveal that.
 */
export async function verify(store: Pick<Store, 'reader'>, published: Heads = new Map()): Promise<SealVerdict> {
  const db = store.reader<AuditTables>()
  const seals = await readSeals(db)
  const tombstones = await readTombstones(db)
  const badTombstone = brokenTombstone(seals, tombstones)
  const [first] = seals
  const early = first && (await rowBefore(db, undefined, startOf(first.day)))
  if (early !== undefined && first !== undefined) return { ok: false, day: first.day, row: early, fault: 'inserted' }
  let before: Seal | undefined
  for (const seal of seals) {
    const { day } = seal
    if (before !== undefined && day !== dayAfter(before.day))
      return { ok: false, day: dayAfter(before.day), fault: 'seal' }
    if (sealHead(before?.head ?? '', seal) !== seal.head) return { ok: false, day, fault: 'seal' }
    if (published.has(day) && published.get(day) !== seal.head) return { ok: false, day, fault: 'unpublished' }
    if (badTombstone === day) return { ok: false, day, fault: 'tombstone' }
    const bad = await checkDay(
      db,
      seal,
      tombstones.filter((one) => one.day === day),
    )
    if (bad !== undefined) return bad
    before = seal
  }
  const unknown = [...published.keys()].toSorted().find((day) => seals.every((seal) => seal.day !== day))
  if (unknown !== undefined) return { ok: false, day: unknown, fault: 'seal' }
  return { ok: true, days: seals.length, rows: seals.reduce((sum, { rows }) => sum + rows, 0), last: seals.at(-1) }
}

async function checkDay(
  db: AuditReader,
  seal: Seal,
  tombstones: readonly Tombstone[],
): Promise<SealVerdict | undefined> {
  const { day } = seal
  const end = startOf(dayAfter(day))
  if (tombstones.length > 0) {
    const isOfDay =
      tombstones.length === 1 && tombstones.every(({ rows, before }) => rows === seal.rows && +before === +end)
    if (!isOfDay) return { ok: false, day, fault: 'tombstone' }
    const revenant = await rowBefore(db, startOf(day), end)
    return revenant === undefined ? undefined : { ok: false, day, row: revenant, fault: 'inserted' }
  }
  const noted = await digestOfBlocks(db, day)
  if (noted.rows !== seal.rows || noted.digest !== seal.digest) return { ok: false, day, fault: 'seal' }
  const block = await differingBlock(db, day)
  const fault = block && firstFault(block.sealed, block.actual)
  return fault && { ok: false, day, ...fault }
}

// The day of the first tombstone that differs from its chain.
function brokenTombstone(seals: readonly Seal[], tombstones: readonly Tombstone[]): string | undefined {
  const heads = new Map(seals.map(({ day, head }) => [day, head]))
  let previous = ''
  for (const tombstone of tombstones) {
    if (tombstoneHead(previous, tombstone, heads.get(tombstone.day) ?? '') !== tombstone.head) return tombstone.day
    previous = tombstone.head
  }
  return undefined
}

/** The first instant of a UTC day. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}
