import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Agents whose conversations the state role has to erase. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table memory_erasures (
    agent_uid text primary key,
    namespace text not null,
    requested_at timestamptz not null default clock_timestamp(),
    erased_at timestamptz
  )`.execute(db)
}
