import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { McpTables, SelectedConsent } from '../contract/tables.ts'

type Db = Kysely<McpTables>

/** A consent to be stored. */
export type NewConsent = Omit<SelectedConsent, 'expires_at'>

/** Stores a consent that ends after `seconds` by the clock of the database. Returns its end, and the number of open ones of its subject. */
export async function insertConsent(
  db: Db,
  consent: NewConsent,
  seconds: number,
): Promise<{ readonly expiresAt: Date; readonly open: number }> {
  await db
    .deleteFrom('mcp_consents')
    .where('expires_at', '<', sql<Date>`now()`)
    .execute()
  const { expires_at: expiresAt } = await db
    .insertInto('mcp_consents')
    .values({ ...consent, expires_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  const { open } = await db
    .selectFrom('mcp_consents')
    .select((select) => select.fn.countAll().as('open'))
    .where('subject', '=', consent.subject)
    .executeTakeFirstOrThrow()
  return { expiresAt, open: Number(open) }
}

/** The begun consent of a subject and a session. It can be taken once; another subject or session takes nothing. */
export async function takeConsent(
  db: Db,
  { stateHash, subject, sessionHash }: { stateHash: Buffer; subject: string; sessionHash: Buffer | null },
): Promise<SelectedConsent | undefined> {
  return db
    .deleteFrom('mcp_consents')
    .where('state_hash', '=', stateHash)
    .where('subject', '=', subject)
    .where(sql<boolean>`(session_hash is null or session_hash = ${sessionHash})`)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
}

/** Removes consents of a subject, in one namespace or in all. */
export async function removeConsentsOf(db: Db, subject: string, namespaceOrAll: string | null): Promise<void> {
  const query = db.deleteFrom('mcp_consents').where('subject', '=', subject)
  await (namespaceOrAll === null ? query : query.where('namespace', '=', namespaceOrAll)).execute()
}
