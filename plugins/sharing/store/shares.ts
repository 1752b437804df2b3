import { sql } from 'kysely'
import type { Insertable, Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import { shareUsage } from './usage.ts'
import type { SelectedShare, ShareRow, SharingTables, SnapshotRow } from '../contract/tables.ts'

type SharingTx = Transaction<SharingTables>

/** A page: its size, and the id of the preceding share. */
export interface SharePage {
  readonly limit: number
  readonly after: string | undefined
}

// An expired share is unknown immediately; a job removes it later.
const valid = sql<boolean>`sharing_shares.expires_at > clock_timestamp()`

/** A page of the shares of a run of the proof's namespace, newest first. */
export function listShares(
  db: Reader<SharingTables>,
  { namespace }: Access<'list', 'runshares'>,
  runId: string,
  page: SharePage,
): Promise<readonly SelectedShare[]> {
  return pageOf(db, page).where('run_id', '=', runId).where('sharing_shares.namespace', '=', namespace).execute()
}

/** A page of the shares that a user created, newest first, in any namespace. */
export function listSharesOf(
  db: Reader<SharingTables>,
  username: string,
  page: SharePage,
): Promise<readonly SelectedShare[]> {
  return pageOf(db, page).where('created_by', '=', username).execute()
}

function pageOf(db: Reader<SharingTables>, { limit, after }: SharePage) {
  return db
    .selectFrom('sharing_shares')
    .selectAll('sharing_shares')
    .where(valid)
    .where(inLiveNamespace('sharing_shares.namespace_uid'))
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
}

/** Finds the share of a request with the same idempotency key. */
export function findKeyedShare(db: SharingTx, key: Buffer): Promise<SelectedShare | undefined> {
  return db.selectFrom('sharing_shares').selectAll().where('request_key', '=', key).executeTakeFirst()
}

/** Replaces the token of a share after the response was lost. */
export async function replaceToken(db: SharingTx, id: string, tokenHash: Buffer): Promise<void> {
  await db.updateTable('sharing_shares').set({ token_hash: tokenHash }).where('id', '=', id).execute()
}

/** A new share; its times come from the clock of the database. */
export type NewShare = Omit<Insertable<ShareRow>, 'created_at' | 'expires_at' | 'views'>

/** Inserts a share; false if one with its idempotency key exists. */
export async function insertShare(db: SharingTx, row: NewShare, times: ShareTimes): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('sharing_shares')
    .values({ ...row, created_at: times.createdAt, expires_at: times.expiresAt })
    .onConflict((conflict) => conflict.column('request_key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
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

/** Removes an idempotency key that is older than the response stored for it by core. */
export async function forgetOldKey(db: SharingTx, key: Buffer): Promise<void> {
  // An hour less than core stores a response: while the response is stored, repeats do not reach this code.
  await sql`update sharing_shares set request_key = null
    where request_key = ${key} and created_at < clock_timestamp() - interval '23 hours'`.execute(db)
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
  return sql`id in (select id from sharing_shares where expires_at <= clock_timestamp() order by expires_at limit ${which.expired})`
}
