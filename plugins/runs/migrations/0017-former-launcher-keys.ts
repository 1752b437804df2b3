import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Keys of launchers are certificates now. Those that are known stay valid for a day, for runs in pods of the former version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `alter table runs_launcher_keys
        add column valid_until timestamptz not null default clock_timestamp() + interval '1 day'`,
    )
    .execute(db)
}
