import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Identity of an item by its content: a repeated write stores it once. Items of earlier versions have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table memory_items add column digest bytea`.execute(db)
  await sql`create unique index memory_items_identity
    on memory_items (agent_uid, coalesce(subject, ''), digest)`.execute(db)
}
