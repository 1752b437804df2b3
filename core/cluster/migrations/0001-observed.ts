import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. */
export const breaking = false

/** Objects known to the informers: one row per uid, kept after deletion so that a replay changes nothing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE observed (
      uid text PRIMARY KEY,
      kind text NOT NULL,
      namespace text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      rv text NOT NULL,
      content_hash text NOT NULL,
      deleted_at timestamptz
    )`.execute(db)
  await sql`CREATE INDEX observed_by_name ON observed (kind, namespace, name) WHERE deleted_at IS NULL`.execute(db)
}
