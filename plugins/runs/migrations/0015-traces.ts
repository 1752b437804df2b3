import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Finds the runs of a trace: feedback names one by its trace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index runs_runs_by_trace on runs_runs (trace_id)`.execute(db)
}
