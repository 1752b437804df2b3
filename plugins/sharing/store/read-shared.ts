import { sql } from 'kysely'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { Reader, Store } from '#core/event-store/store.ts'
import type { SharingTables, SnapshotRow } from '../contract/tables.ts'

// By the clock of the database. Unknown, expired, revoked, used up: no row (S2, S4).
const readable = sql<boolean>`expires_at > clock_timestamp() and (max_views is null or views < max_views)
  and ${inLiveNamespace('sharing_shares.namespace_uid')}`

/** Counts a read of the share with a token and returns its content; undefined without a valid share. */
export async function viewShared(store: Store, tokenHash: Buffer): Promise<SnapshotRow | undefined> {
  return store.transact(async (tx) => {
    const db = tx.tables<SharingTables>()
    const { rows } = await sql<{ id: string }>`
      update sharing_shares set views = least(views, 2147483646) + 1
      where token_hash = ${tokenHash} and ${readable} returning id`.execute(db)
    const id = rows[0]?.id
    return id === undefined ? undefined : findSnapshot(db, id)
  })
}

/** As `viewShared`, without counting the read. */
export async function peekShared(db: Reader<SharingTables>, tokenHash: Buffer): Promise<SnapshotRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from sharing_shares where token_hash = ${tokenHash} and ${readable}`.execute(db)
  const id = rows[0]?.id
  return id === undefined ? undefined : findSnapshot(db, id)
}

/** Whether a share that is being read still exists and has not expired. */
export async function isShareOpen(db: Reader<SharingTables>, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from sharing_shares where id = ${id} and expires_at > clock_timestamp()
    and ${inLiveNamespace('sharing_shares.namespace_uid')}`.execute(db)
  return rows.length > 0
}

function findSnapshot(db: Reader<SharingTables>, id: string): Promise<SnapshotRow | undefined> {
  return db.selectFrom('sharing_snapshots').selectAll().where('share_id', '=', id).executeTakeFirst()
}
