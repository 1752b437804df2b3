import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Gateway processes that report the targets of routes, by the time of their last sign of life. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table providers_gateways (name text primary key, seen_at timestamptz not null)`.execute(db)
}
