import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { McpTables } from '../contract/tables.ts'

/** Where a client is registered: for one server, at one issuer, with one address. */
export interface ClientKey {
  readonly serverUid: string
  readonly issuer: string
  readonly redirectUri: string
}

/** The sealed client of a key; undefined without one whose secret still holds. */
export async function findClientRow(
  db: Reader<McpTables>,
  { serverUid, issuer, redirectUri }: ClientKey,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('mcp_oauth_clients')
    .select('sealed')
    .where('server_uid', '=', serverUid)
    .where('issuer', '=', issuer)
    .where('redirect_uri', '=', redirectUri)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .executeTakeFirst()
  return row?.sealed
}

/** Stores the client of a key in place of an older one. */
export async function saveClientRow(
  db: Kysely<McpTables>,
  { serverUid, issuer, redirectUri }: ClientKey,
  { sealed, expiresAt }: { readonly sealed: string; readonly expiresAt: Date | null },
): Promise<void> {
  await db
    .insertInto('mcp_oauth_clients')
    .values({ server_uid: serverUid, issuer, redirect_uri: redirectUri, sealed, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['server_uid', 'issuer', 'redirect_uri']).doUpdateSet({ sealed, expires_at: expiresAt }),
    )
    .execute()
}

/** Forgets the clients of a server at an issuer, which no longer knows them; without an issuer those of a removed server. */
export async function removeClientRows(db: Kysely<McpTables>, serverUid: string, issuer?: string): Promise<void> {
  const query = db.deleteFrom('mcp_oauth_clients').where('server_uid', '=', serverUid)
  await (issuer === undefined ? query : query.where('issuer', '=', issuer)).execute()
}
