import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { StoredEvent } from '#core/events/event.ts'
import { toStoredEvent } from './event-row.ts'
import type { CoreTables } from './tables.ts'

/**
 * Events after a position that a caller may see: of one namespace as it now exists, or with '' of all.
 * A namespace made again under an old name has another uid and inherits none of the old one's events.
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

function isOfLiveNamespace(namespace: string): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`(namespace_uid is null or namespace_uid in (
    select uid from observed where kind = 'Namespace' and name = ${namespace} and deleted_at is null))`
}
