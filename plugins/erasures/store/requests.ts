import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace, liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { Reader } from '#core/event-store/store.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { ErasedSubject } from '../contract/points.ts'
import type { ErasuresTables, SelectedRequest } from '../contract/tables.ts'

type Db = Reader<ErasuresTables>
type ErasuresTx = Transaction<ErasuresTables>

/** A page of the erasures of the proof's namespace, newest first; those of the cluster include every namespace. */
export async function listRequests(
  db: Db,
  { namespace }: Access<'list', 'erasures'>,
  { limit, after: [id] = [] }: RowPage,
): Promise<readonly SelectedRequest[]> {
  const conditions = [
    namespace === '' ? sql`true` : sql`namespace_uid = ${liveNamespaceUid(namespace)}`,
    ...(id === undefined ? [] : [sql`id < ${id}::uuid`]),
  ]
  const { rows } = await sql<SelectedRequest>`select * from erasures_requests
    where ${sql.join(conditions, sql` and `)} order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Namespace in which an erasure is reviewed: '' for one of the cluster, or of a namespace that is gone. The only field read before the review. */
export async function placeOfRequest(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ place: string }>`
    select case when ${inLiveNamespace('erasures_requests.namespace_uid')} then namespace else '' end as place
    from erasures_requests where id = ${id}::uuid`.execute(db)
  return rows[0]?.place
}

/** An erasure that the caller may get. */
export function readRequest(db: Db, _proof: Access<'get', 'erasures'>, id: string) {
  return db.selectFrom('erasures_requests').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Uid of a live namespace. */
export async function findNamespaceUid(db: ErasuresTx, namespace: string): Promise<string | undefined> {
  const { rows } = await sql<{ uid: string | null }>`select ${liveNamespaceUid(namespace)} as uid`.execute(db)
  return rows[0]?.uid ?? undefined
}

/** The erasure of a subject that is under way. */
export async function findUnderWay(
  db: ErasuresTx,
  subject: string,
  namespaceUid: string | null,
): Promise<SelectedRequest | undefined> {
  const { rows } = await sql<SelectedRequest>`select * from erasures_requests
    where subject = ${subject} and coalesce(namespace_uid, '') = ${namespaceUid ?? ''}`.execute(db)
  return rows[0]
}

/** An erasure that is not finished. */
export interface OpenErasure extends ErasedSubject {
  readonly state: 'queued' | 'running'
}

/** Erasures that are not finished, oldest first, and the age of the oldest one. */
export async function readOpenRequests(
  db: Db,
): Promise<{ readonly open: readonly OpenErasure[]; readonly oldestSeconds: number }> {
  const { rows } = await sql<OpenErasure & { readonly age: number }>`
    select id as "erasureId", subject, namespace, namespace_uid as "namespaceUid", created_at as "requestedAt", state,
      extract(epoch from clock_timestamp() - created_at)::float8 as age
    from erasures_requests where subject is not null order by id limit 1000`.execute(db)
  return { open: rows, oldestSeconds: rows[0]?.age ?? 0 }
}

/** Records that nothing writes for the subject. */
export async function markRunning(db: ErasuresTx, id: string): Promise<void> {
  await sql`update erasures_requests set state = 'running' where id = ${id} and state = 'queued'`.execute(db)
}

/** Adds erased items of an eraser to the count of an erasure. */
export async function addErased(db: ErasuresTx, id: string, of: string, count: number): Promise<void> {
  if (count === 0) return
  await sql`update erasures_requests
    set erased = erased || jsonb_build_object(${of}::text, coalesce((erased ->> ${of}::text)::bigint, 0) + ${count}::bigint)
    where id = ${id}`.execute(db)
}

/** Ends an erasure, which forgets the name of its subject. Returns undefined if it was already finished. */
export async function finishRequest(db: ErasuresTx, id: string): Promise<SelectedRequest | undefined> {
  const { rows } = await sql<SelectedRequest>`update erasures_requests
    set state = 'finished', subject = null, finished_at = clock_timestamp() where id = ${id} and state = 'running'
    returning *`.execute(db)
  return rows[0]
}
