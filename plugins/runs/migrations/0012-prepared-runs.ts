import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Prepared runs that were queued, until they expire: each is used once, also after its run was removed (ADR 0063). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table runs_prepared (run_id uuid primary key, expires_at timestamptz not null)`.execute(db)
  await sql`create index runs_prepared_by_expiry on runs_prepared (expires_at)`.execute(db)
}
