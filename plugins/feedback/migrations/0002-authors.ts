import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Scores of a person, for the erasure of a person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index feedback_scores_by_person on feedback_scores (created_by) where source = 'person'`.execute(db)
}
