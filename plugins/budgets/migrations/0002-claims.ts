import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * When a gateway took a hold over (ADR 0253), so that one hold pays for one call. An older gateway does not write the column: the launcher
 * settles its calls, as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table budgets_holds add column claimed_at timestamptz').execute(db)
}
