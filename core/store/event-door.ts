import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { StoredEvent } from './event.ts'
import { toStoredEvent } from './event-row.ts'
import type { CoreTables } from './tables.ts'

/**
 * Events after a position in the namespace of a proof, or with '' in the cluster. By uid: a namespace made again under its old name
 * shows no event of its predecessor (SEC17).
 */
export async function readPermitted(
  db: Kysely<CoreTables>,
  namespace: string,
  after: bigint,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('position', '>', after)
    .$if(namespace !== '', (query) => query.where('namespace', '=', namespace).where(isOfLiveNamespace(namespace)))
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent)
}

// An event without a uid is from before its namespace was observed, so it is shown only where the name never had another uid.
function isOfLiveNamespace(namespace: string): RawBuilder<boolean> {
  return sql<boolean>`(namespace_uid = ${liveUid(namespace)} or namespace_uid is null and not exists (
    select from observed o where o.kind = 'Namespace' and o.namespace = '' and o.name = ${namespace}
      and o.uid is distinct from ${liveUid(namespace)}))`
}

function liveUid(namespace: string): RawBuilder<string> {
  return sql<string>`(select uid from observed where kind = 'Namespace' and namespace = '' and name = ${namespace}
    and deleted_at is null order by length(rv) desc, rv desc limit 1)`
}
