import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** What the gateway has seen of providers: the last attempts of each, as `[[milliseconds since 1970, first byte in milliseconds or -1], ...]`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table providers_health (
    namespace text not null, name text not null, attempts jsonb not null,
    last_success_at timestamptz, last_error_at timestamptz, last_error_class text,
    primary key (namespace, name))`.execute(db)
}
