import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds columns that may be null. Older processes neither read nor write them. */
export const breaking = false

/** The revision that a run is bound to, and the latest progress of an executor (ADR 0257). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_content add column revision integer, add column progress jsonb`.execute(db)
}
