import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes leave the column unchanged; the next update then shows the change since it was last written. */
export const breaking = false

/** Audited fields of each object as last observed, so that an update has old and new values. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE observed ADD COLUMN audited jsonb`.execute(db)
}
