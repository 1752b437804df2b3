import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { SharingTables } from '../contract/tables.ts'

type Db = Transaction<SharingTables>

/** Shares and bytes of a namespace. */
export interface ShareUsage {
  readonly shares: number
  readonly bytes: number
}

/** Adds a share to the usage of its namespace, which is locked until COMMIT. Returns the usage with it. */
export async function addShareUsage(db: Db, namespaceUid: string, bytes: number): Promise<ShareUsage> {
  const { rows } = await sql<{ shares: bigint; bytes: bigint }>`
    insert into sharing_usage as u (namespace_uid, shares, bytes) values (${namespaceUid}, 1, ${bytes})
    on conflict (namespace_uid) do update set shares = u.shares + 1, bytes = u.bytes + excluded.bytes
    returning shares, bytes`.execute(db)
  return { shares: Number(rows[0]?.shares), bytes: Number(rows[0]?.bytes) }
}

/** Subtracts removed shares from the usage of their namespaces, in one order, so that two transactions do not wait for each other. */
export async function removeShareUsage(
  db: Db,
  removed: readonly { readonly namespace_uid: string; readonly bytes: bigint }[],
): Promise<void> {
  const uids = [...new Set(removed.map((one) => one.namespace_uid))].toSorted()
  for (const uid of uids) {
    const ofUid = removed.filter((one) => one.namespace_uid === uid)
    const bytes = ofUid.reduce((sum, one) => sum + one.bytes, 0n)
    await sql`update sharing_usage set shares = greatest(shares - ${ofUid.length}, 0),
      bytes = greatest(bytes - ${bytes}::bigint, 0) where namespace_uid = ${uid}`.execute(db)
  }
  if (uids.length > 0)
    await sql`delete from sharing_usage where namespace_uid = any(${uids}) and shares = 0`.execute(db)
}

/** Bytes of all shares. */
export async function readShareBytes(db: Reader<SharingTables>): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from sharing_usage`.execute(db)
  return rows[0]?.bytes ?? 0
}
