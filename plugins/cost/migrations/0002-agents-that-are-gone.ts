import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a column with a default, which older processes do not notice. */
export const breaking = false

/** When the labels of an agent were first recorded, and how costs of an agent are found: those of a deleted one are removed with its cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table cost_agents add column recorded_at timestamptz not null default clock_timestamp()`.execute(db)
  await sql`create index cost_days_by_agent on cost_days (agent_uid)`.execute(db)
  await sql`create index cost_runs_by_agent on cost_runs (agent_uid)`.execute(db)
}
