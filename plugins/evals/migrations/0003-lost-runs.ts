import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Cases whose first run was lost with its pod. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table evals_cases add column was_lost boolean not null default false`.execute(db)
}
