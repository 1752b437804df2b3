import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a table. Until all processes know it, older ones write calls of people to the days of agents, without a name. */
export const breaking = false

/** Usage and cost of calls of people by day (ADR 0181). Sums are `numeric`, as those of agents. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table cost_persons (
    day date not null, namespace text not null, namespace_uid text not null, subject text not null,
    provider text not null, model text not null, operation text not null, currency text not null, price text not null,
    calls numeric not null, unpriced numeric not null, input_tokens numeric not null, output_tokens numeric not null,
    cached_tokens numeric not null, reasoning_tokens numeric not null, micros numeric not null,
    primary key (day, namespace, namespace_uid, subject, provider, model, operation, currency, price))`.execute(db)
  await sql`create index cost_persons_by_namespace on cost_persons (namespace, day)`.execute(db)
}
