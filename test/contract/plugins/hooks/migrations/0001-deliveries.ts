import { sql } from '@mesh.dev/mesh/plugin'
import type { Kysely } from '@mesh.dev/mesh/plugin'

export const breaking = false

/** Deliveries that a receiver has accepted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table x_hooks_deliveries (id text primary key, epoch bigint not null, status integer not null)`.execute(
    db,
  )
}
