import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes do not use the table. */
export const breaking = false

/** Objects that callers created or changed, until an informer has seen them: list and watch cannot report a missed deletion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE reported_objects (
      uid text PRIMARY KEY,
      kind text NOT NULL,
      namespace text NOT NULL,
      name text NOT NULL,
      rv text NOT NULL,
      reported_at timestamptz NOT NULL
    )`.execute(db)
}
