import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Means of the scores of an agent in a window, without those of evaluations. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table feedback_scores add column of_evaluation boolean not null default false`.execute(db)
  await sql`create index feedback_scores_by_agent on feedback_scores (namespace, agent_name, name, created_at)`.execute(
    db,
  )
}
