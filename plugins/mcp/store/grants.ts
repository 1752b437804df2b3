import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { GrantRow, McpTables, SelectedGrant } from '../contract/tables.ts'

type Db = Kysely<McpTables>

/** What a grant belongs to: a person, a server and its address. */
export interface OwnedGrantKey {
  readonly subject: string
  readonly serverUid: string
  readonly url: string
}

/** Tokens of a grant as they are stored. */
export type StoredTokens = Pick<GrantRow, 'sealed' | 'scopes' | 'access_expires_at' | 'is_refreshable'>

/** The grant of a key, whether usable or not. */
export function findGrant(db: Reader<McpTables>, { subject, serverUid, url }: OwnedGrantKey) {
  return db
    .selectFrom('mcp_grants')
    .selectAll()
    .where('subject', '=', subject)
    .where('server_uid', '=', serverUid)
    .where('url', '=', url)
    .executeTakeFirst()
}

/** The newest usable grant by which the manager may read the manifest of a server. */
export function findManifestGrant(db: Reader<McpTables>, { serverUid, url }: Omit<OwnedGrantKey, 'subject'>) {
  return db
    .selectFrom('mcp_grants')
    .selectAll()
    .where('server_uid', '=', serverUid)
    .where('url', '=', url)
    .where('reads_manifest', '=', true)
    .where('is_usable', '=', true)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The grants of a person, the newest first. */
export function listGrantsOf(db: Reader<McpTables>, subject: string) {
  return db.selectFrom('mcp_grants').selectAll().where('subject', '=', subject).orderBy('id', 'desc').execute()
}

/** Whether a person has a usable grant of a server that asks for no further scopes, by the key of its interrupts. */
export async function hasUsableGrant(db: Reader<McpTables>, subject: string, consentKey: string): Promise<boolean> {
  const key = sql<string>`left(encode(sha256(convert_to(namespace || '/' || server, 'UTF8')), 'hex'), 24)`
  const found = await db
    .selectFrom('mcp_grants')
    .select('id')
    .where('subject', '=', subject)
    .where('is_usable', '=', true)
    .where('wanted_scopes', 'is', null)
    .where(sql<boolean>`${key} = ${consentKey}`)
    .executeTakeFirst()
  return found !== undefined
}

/** Stores a grant in place of an older one with its key. Returns its id, and the number of grants of its subject. */
export async function saveGrant(
  db: Db,
  row: Omit<GrantRow, 'is_usable' | 'version' | 'wanted_scopes' | 'refreshing_until' | 'created_at'>,
): Promise<{ readonly grant: SelectedGrant; readonly count: number }> {
  const { id: _, subject, server_uid: _uid, url: _url, ...changed } = row
  const grant = await db
    .insertInto('mcp_grants')
    .values({ ...row, wanted_scopes: null, refreshing_until: null })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'server_uid', 'url']).doUpdateSet({
        ...changed,
        is_usable: true,
        version: sql<number>`mcp_grants.version + 1`,
        wanted_scopes: null,
        refreshing_until: null,
        created_at: sql<Date>`now()`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
  const { count } = await db
    .selectFrom('mcp_grants')
    .select((select) => select.fn.countAll().as('count'))
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  return { grant, count: Number(count) }
}

type Version = Pick<SelectedGrant, 'id' | 'version'>

/** Claims the refresh of a version for `seconds`. False: another process has it, or has done it. */
export async function claimRefresh(db: Db, { id, version }: Version, seconds: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mcp_grants')
    .set({ refreshing_until: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('is_usable', '=', true)
    .where(sql<boolean>`(refreshing_until is null or refreshing_until < clock_timestamp())`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores the refreshed tokens of a claimed version; false if the grant was revoked or replaced meanwhile. */
export async function saveRefreshed(db: Db, { id, version }: Version, tokens: StoredTokens): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mcp_grants')
    .set({ ...tokens, version: version + 1, refreshing_until: null })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records scopes that a server asks for. A version that was replaced meanwhile is unchanged. */
export async function addWantedScopes(db: Db, { id, version }: Version, scopes: readonly string[]): Promise<void> {
  await db
    .updateTable('mcp_grants')
    .set({
      wanted_scopes: sql<
        string[]
      >`array(select distinct unnest(coalesce(wanted_scopes, '{}') || ${[...scopes]}::text[]) limit 50)`,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute()
}

/** Ends the claim of a version: its tokens stay, or with `isUsable: false` are never used again. */
export async function endRefresh(
  db: Db,
  { id, version }: Version,
  { isUsable }: { readonly isUsable: boolean },
): Promise<void> {
  await db
    .updateTable('mcp_grants')
    .set({ refreshing_until: null, ...(isUsable ? {} : { is_usable: false }) })
    .where('id', '=', id)
    .where('version', '=', version)
    .execute()
}

/** Removes the grants of a person for a server of this name that is not the one with the uid and the address: they inherit nothing (M-4). */
export async function removeForeignGrants(
  db: Db,
  key: OwnedGrantKey & { readonly namespace: string; readonly server: string },
): Promise<void> {
  await db
    .deleteFrom('mcp_grants')
    .where('subject', '=', key.subject)
    .where('namespace', '=', key.namespace)
    .where('server', '=', key.server)
    .where(sql<boolean>`(server_uid <> ${key.serverUid} or url <> ${key.url})`)
    .execute()
}

/** Removes the grants of a person for a server by name. Returns them. */
export function removeGrantsFor(
  db: Db,
  { subject, namespace, server }: { readonly subject: string; readonly namespace: string; readonly server: string },
): Promise<readonly SelectedGrant[]> {
  return db
    .deleteFrom('mcp_grants')
    .where('subject', '=', subject)
    .where('namespace', '=', namespace)
    .where('server', '=', server)
    .returningAll()
    .execute()
}

/** Removes at most `limit` grants of a person, in one namespace or in all. Returns their number. */
export function removeGrantsOf(
  db: Db,
  { subject, namespace }: { readonly subject: string; readonly namespace: string | null },
  limit: number,
): Promise<number> {
  const inNamespace = namespace === null ? sql`true` : sql`namespace = ${namespace}`
  return removeSome(db, sql`subject = ${subject} and ${inNamespace}`, limit)
}

/** Removes at most `limit` grants of a deleted server. Returns their number. */
export function removeGrantsOfServer(db: Db, serverUid: string, limit: number): Promise<number> {
  return removeSome(db, sql`server_uid = ${serverUid}`, limit)
}

async function removeSome(db: Db, condition: RawBuilder<unknown>, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from mcp_grants where id in
    (select id from mcp_grants where ${condition} order by id limit ${limit} for update)`.execute(db)
  return Number(numAffectedRows)
}
