import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { ConnectorRow, McpTables } from '../contract/tables.ts'

/** A published server as selected. */
export type PublishedConnector = Selectable<ConnectorRow>

/** Published servers of a list. */
export interface ConnectorSelection {
  /** Namespaces whose entries are shown; undefined for all of them. */
  readonly namespaces: readonly string[] | undefined
  readonly q: string | undefined
  readonly limit: number
  /** Title and uid of the last entry of the page before. */
  readonly after: readonly [title: string, uid: string] | undefined
}

/** Reads one page of published servers by title. */
export async function readConnectors(
  db: Reader<McpTables>,
  { namespaces, q, limit, after }: ConnectorSelection,
): Promise<readonly PublishedConnector[]> {
  const part = `%${(q ?? '').toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return db
    .selectFrom('mcp_connectors')
    .selectAll()
    .$if(namespaces !== undefined, (query) =>
      query.where(
        sql<boolean>`(visible_to is null or visible_to && ${namespaces ?? []}::text[] or namespace = any(${namespaces ?? []}::text[]))`,
      ),
    )
    .$if(q !== undefined, (query) =>
      query.where(sql<boolean>`lower(title || ' ' || description || ' ' || array_to_string(tags, ' ')) like ${part}`),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(title collate "C", server_uid) > (${after?.[0] ?? ''}, ${after?.[1] ?? ''})`),
    )
    .orderBy(sql`title collate "C"`)
    .orderBy('server_uid')
    .limit(limit)
    .execute()
}

/** Reads a published server that a namespace may see. */
export function readConnector(
  db: Reader<McpTables>,
  uid: string,
  namespace: string,
): Promise<PublishedConnector | undefined> {
  return db
    .selectFrom('mcp_connectors')
    .selectAll()
    .where('server_uid', '=', uid)
    .where(sql<boolean>`(visible_to is null or ${namespace} = any(visible_to) or namespace = ${namespace})`)
    .executeTakeFirst()
}
