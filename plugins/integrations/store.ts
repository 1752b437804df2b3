import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { hadOtherNamespace, liveNamespaceUid } from '#core/cluster/object-index-sql.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { toStoredEvent } from '#core/event-store/event-row.ts'
import { lastPosition } from '#core/event-store/read-events.ts'
import type { Store } from '#core/event-store/store.ts'
import type { CoreTables } from '#core/database/core-tables.ts'

/**
 * Events after a position in the namespaces of proofs; '' is the whole cluster. By uid: a re-created namespace of the same name shows no event of its
 * predecessor (SEC17).
 */
export async function readPermitted(
  store: Pick<Store, 'reader'>,
  namespaces: readonly string[],
  after: bigint,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await store
    .reader<CoreTables>()
    .selectFrom('events')
    .selectAll()
    .where('position', '>', after)
    .$if(!namespaces.includes(''), (query) =>
      query.where('namespace', '=', sql<string>`any(${[...namespaces]}::text[])`).where(isOfLiveNamespace()),
    )
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(toStoredEvent)
}

/** The position of the newest event in the store. */
export function newestStored(store: Pick<Store, 'reader'>): Promise<bigint> {
  return lastPosition(store.reader<CoreTables>())
}

// An event without a uid is from before its namespace was observed, so it is shown only if the name never had another uid.
function isOfLiveNamespace(): RawBuilder<boolean> {
  const name = sql.ref<string>('events.namespace')
  return sql<boolean>`(namespace_uid = ${liveNamespaceUid(name)} or namespace_uid is null and not ${hadOtherNamespace(name)})`
}
