import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Cost of a person, for the erasure of a person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index cost_persons_by_subject on cost_persons (subject)`.execute(db)
}
