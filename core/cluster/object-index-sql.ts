import { sql } from 'kysely'
import type { QueryExecutorProvider, RawBuilder } from 'kysely'

// Fragments for statements of other folders that depend on observed objects.

/** Uid of the live namespace with a name, given as a string or as SQL, or null. Of two, the one with the newer resourceVersion is live. */
export function liveNamespaceUid(name: string | RawBuilder<string>): RawBuilder<string> {
  return sql<string>`(select uid from object_index where kind = 'Namespace' and namespace = '' and name = ${name}
    and deleted_at is null order by length(rv) desc, rv desc limit 1)`
}

/** Whether the namespace uid of a row, given as its column (`acme_notes.namespace_uid`) or as SQL, is that of a live namespace. */
export function inLiveNamespace(uid: string | RawBuilder<unknown>): RawBuilder<boolean> {
  const given = typeof uid === 'string' ? sql.ref(uid) : uid
  return sql<boolean>`exists (select from object_index where object_index.kind = 'Namespace' and object_index.uid = ${given}
    and object_index.deleted_at is null)`
}

/** Whether a namespace name, given as a string or as SQL, ever had a uid other than its live one. */
export function hadOtherNamespace(name: string | RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from object_index o where o.kind = 'Namespace' and o.namespace = '' and o.name = ${name}
    and o.uid is distinct from ${liveNamespaceUid(name)})`
}

/**
 * Whether an object is deleted. Locks the row: this waits for a deletion in progress, and later ones wait until COMMIT. A deletion thus finds
 * what this transaction writes about a live object.
 */
export async function isDeletedUnderLock(db: QueryExecutorProvider, kind: string, uid: string): Promise<boolean> {
  const { rows } = await sql<{ readonly gone: boolean }>`select deleted_at is not null as gone from object_index
    where kind = ${kind} and uid = ${uid} for share`.execute(db)
  return rows[0]?.gone === true
}

/** Uids of the deleted objects of a kind, as a subquery. */
export function deletedUids(kind: string): RawBuilder<string> {
  return sql<string>`(select uid from object_index where kind = ${sql.lit(kind)} and deleted_at is not null)`
}
