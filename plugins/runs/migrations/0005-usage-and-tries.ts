import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Token counts above 2^31, and how often a run was tried in vain. The counts are exact up to 2^53 - 1, the bound of their projection:
 * `bigint` arrives in JavaScript as another type, which processes of the version before cannot put into an answer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const counts = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens']
  const changes = counts.map((column) => `alter column ${column} type double precision`)
  await sql.raw(`alter table runs_runs ${changes.join(', ')}`).execute(db)
  await sql.raw('alter table runs_lease add column tries integer not null default 0').execute(db)
}
