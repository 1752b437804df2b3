import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table, which older processes do not write: its counts begin with the upgrade and are complete an hour later. */
export const breaking = false

/** Calls of the last hour, for the edges of the topology (ADR 0269). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table registries_calls (
    slot timestamptz not null, agent_uid text not null, kind text not null, target text not null, provider text not null,
    bucket smallint not null, calls bigint not null, failed bigint not null,
    primary key (slot, agent_uid, kind, target, provider, bucket))`.execute(db)
}
