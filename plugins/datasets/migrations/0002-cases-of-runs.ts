import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Finds the cases of a run, which are erased with it, and the snapshots that are removed by their age. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create index datasets_cases_of_runs on datasets_cases (run_id) where run_id is not null',
  'create index datasets_staged_of_runs on datasets_staged (source_run_id) where source_run_id is not null',
  'create index datasets_pins_snapshots on datasets_pins (created_at) where version is null',
]
