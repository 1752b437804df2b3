import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Public keys by which the launchers of an agent are known: written by the manager, which made them, read by workers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table runs_launcher_keys (
        agent_uid text not null, public_key text not null, recorded_at timestamptz not null default clock_timestamp(),
        primary key (agent_uid, public_key))`,
    )
    .execute(db)
}
