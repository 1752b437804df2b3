import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import type { Reader } from '#core/event-store/store.ts'
import { readRows, whereEqual } from '#core/http/store/read-rows.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import { shareUsage } from './usage.ts'
import type { SelectedShare, SharingTables, SnapshotRow } from '../contract/tables.ts'

type SharingTx = Transaction<SharingTables>

// An expired share is unknown immediately; a job removes it later.
const valid = sql<boolean>`sharing_shares.expires_at > clock_timestamp()`

/** One page of the shares of a run of the proof's namespace, newest first. */
export function listShares(
  db: Reader<SharingTables>,
  { namespace }: Access<'list', 'runshares'>,
  runId: string,
  page: RowPage,
): Promise<readonly SelectedShare[]> {
  return pageOf(db, namespace, whereEqual('run_id', runId), page)
}

/** One page of the shares that a user created, newest first, in any namespace. */
export function listSharesOf(
  db: Reader<SharingTables>,
  username: string,
  page: RowPage,
): Promise<readonly SelectedShare[]> {
  return pageOf(db, '', whereEqual('created_by', username), page)
}

function pageOf(
  db: Reader<SharingTables>,
  namespace: string,
  where: ReturnType<typeof whereEqual>,
  page: RowPage,
): Promise<readonly SelectedShare[]> {
  const order = { columns: ['id'], direction: 'desc' } as const
  return readRows(db, { table: 'sharing_shares', namespace, where: [valid, ...where], order, page })
}

/** Replaces the token of a share after the response was lost. */
export async function replaceToken(db: SharingTx, id: string, tokenHash: Buffer): Promise<void> {
  await db.updateTable('sharing_shares').set({ token_hash: tokenHash }).where('id', '=', id).execute()
}

/** Times of a new share. */
export interface ShareTimes {
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Now and in `validMs`, by the clock of the database (S4). */
export async function readTimes(db: SharingTx, validMs: number): Promise<ShareTimes> {
  const { rows } = await sql<{ now: Date }>`select date_trunc('milliseconds', clock_timestamp()) as now`.execute(db)
  const createdAt = rows[0]?.now ?? new Date()
  return { createdAt, expiresAt: new Date(createdAt.getTime() + validMs) }
}

/** Stores the snapshot of a share. */
export async function insertSnapshot(db: SharingTx, row: SnapshotRow): Promise<void> {
  await db.insertInto('sharing_snapshots').values(row).execute()
}

/** Number of shares of a run. */
export async function countShares(db: SharingTx, runId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from sharing_shares where run_id = ${runId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Selection of the shares to remove. */
export type Removal =
  | { readonly share: string; readonly runId: string; readonly namespace: string }
  | { readonly runIds: readonly string[] }
  | { readonly createdBy: string; readonly namespaceUid: string | null; readonly limit: number }
  | { readonly expired: number }

/** Removes shares with their snapshots. Returns their ids. */
export async function removeShares(db: SharingTx, which: Removal): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string; namespace_uid: string; bytes: bigint }>`
    delete from sharing_shares where id in (select id from sharing_shares where ${conditionOf(which)} for update)
    returning id, namespace_uid, bytes`.execute(db)
  const removed = rows.map(({ namespace_uid: owner, bytes }) => ({ owner, shares: 1, bytes: Number(bytes) }))
  await shareUsage.subtract(db, removed)
  return rows.map(({ id }) => id)
}

function conditionOf(which: Removal) {
  if ('share' in which)
    return sql`id = ${which.share}::uuid and run_id = ${which.runId}::uuid and namespace = ${which.namespace}`
  if ('runIds' in which) return sql`run_id = any(${[...which.runIds]}::uuid[])`
  if ('createdBy' in which) {
    const { createdBy, namespaceUid: uid, limit } = which
    return sql`id in (select id from sharing_shares where created_by = ${createdBy}
      and ${uid === null ? sql`true` : sql`namespace_uid = ${uid}`} order by id limit ${limit})`
  }
  return sql`id in (select id from sharing_shares where expires_at <= clock_timestamp() order by expires_at limit ${which.expired})`
}
