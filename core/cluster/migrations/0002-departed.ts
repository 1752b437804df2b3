import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes leave the column to its default. */
export const breaking = false

/** Marks what was declared gone without having been seen: a watch that is far behind may still tell of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE observed ADD COLUMN departed boolean NOT NULL DEFAULT false`.execute(db)
}
