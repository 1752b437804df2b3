import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a column that may be null. Older processes neither read nor write it. */
export const breaking = false

/** Why a queued run waits for its agent (ADR 0195): a reason such as `ImagePullBackOff`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table runs_runs add column wait_reason text`.execute(db)
}
