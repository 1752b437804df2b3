import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds columns with defaults, which older processes do not notice. */
export const breaking = false

/** Calls that a run reported and that the gateway answered: until they are metered they are pending (ADR 0157). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table cost_runs add column answered numeric not null default 0, add column reported numeric not null default 0,
    add column reported_at timestamptz`.execute(db)
  await sql`create index cost_runs_by_report on cost_runs (reported_at)`.execute(db)
}
