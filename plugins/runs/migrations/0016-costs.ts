import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not notice. */
export const breaking = false

/** What the model calls of a run cost (ADR 0157), a row per run with such calls. Sums are `numeric`, as those of the plugin `cost`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table runs_costs (
    run_id uuid primary key, calls numeric not null, unpriced numeric not null, answered numeric not null, metered boolean not null,
    micros numeric not null, currency text, mixed boolean not null, reported numeric not null, own_reports numeric not null,
    reported_at timestamptz)`.execute(db)
}
