import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes leave the column as it is; the next update then shows the change since the last one that wrote it. */
export const breaking = false

/** Audited fields of each object as last seen, so that an update shows old and new values. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE observed ADD COLUMN audited jsonb`.execute(db)
}
