import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a column with a default, which older processes do not notice. */
export const breaking = false

/** Marks objects recorded as deleted without having been observed; a lagging watch may still report them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE observed ADD COLUMN departed boolean NOT NULL DEFAULT false`.execute(db)
}
