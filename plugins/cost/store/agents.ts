import type { Store } from '#core/event-store/store.ts'
import type { CostTables } from '../contract/tables.ts'

/** The stored row of an agent, for the reconciler; undefined before its first event. */
export async function storedAgent(
  store: Pick<Store, 'reader'>,
  uid: string,
): Promise<{ readonly labels: Readonly<Record<string, string>>; readonly namespaceUid: string } | undefined> {
  const row = await store
    .reader<CostTables>()
    .selectFrom('cost_agents')
    .select(['labels', 'namespace_uid'])
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row && { labels: row.labels, namespaceUid: row.namespace_uid }
}
