import { sql } from '@mesh.dev/mesh/plugin'
import type { Kysely } from '@mesh.dev/mesh/plugin'

export const breaking = false

/** Requests to connect to a service, with their sealed tokens: one for each object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table x_connections_requests (uid text primary key, namespace text not null, name text not null,
    generation integer not null, service text not null, state text not null, requested_by text not null, approved_by text, token text not null)`.execute(
    db,
  )
}
