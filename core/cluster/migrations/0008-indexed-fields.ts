import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Older processes leave the column unchanged. The first list of a newer one, which every start begins with, fills it. */
export const breaking = false

/** Fields of specs that kinds declare as indexed, for workers, which read no cluster objects. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE object_index ADD COLUMN spec jsonb`.execute(db)
}
