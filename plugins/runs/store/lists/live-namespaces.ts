import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { AccessScope } from '#core/cluster/caller.ts'
import { liveNamespaceUid } from '#core/cluster/object-index-sql.ts'

/** Uids of the live namespaces of the proofs. */
export function uidsOf(access: AccessScope<'list', 'runs'>): RawBuilder<unknown> {
  const names = access.map(({ namespace }) => namespace)
  if (names.includes(''))
    return sql`select uid from object_index where kind = 'Namespace' and namespace = '' and deleted_at is null`
  return sql`select distinct ${liveNamespaceUid(sql<string>`named.name`)} as uid from unnest(${names}::text[]) named(name)`
}
