import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/**
 * Usage and cost of model calls by day, usage that agents reported themselves, and what is known of agents (ADR 0113). Sums are `numeric`: of
 * hostile counts they would exceed `bigint`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const sums = `calls numeric not null, unpriced numeric not null, input_tokens numeric not null, output_tokens numeric not null,
    cached_tokens numeric not null, reasoning_tokens numeric not null`

const statements = [
  `create table cost_days (
    day date not null, namespace text not null, namespace_uid text not null, agent_uid text not null, agent text not null,
    provider text not null, model text not null, operation text not null, currency text not null, price text not null,
    ${sums}, micros numeric not null,
    primary key (day, namespace, namespace_uid, agent_uid, provider, model, operation, currency, price))`,
  'create index cost_days_by_namespace on cost_days (namespace, day)',
  `create table cost_runs (
    run_id text primary key, day date not null, namespace text not null, namespace_uid text not null, agent_uid text not null,
    metered boolean not null, ${sums})`,
  'create index cost_runs_by_day on cost_runs (day)',
  'create index cost_runs_reported on cost_runs (namespace, day) where not metered',
  `create table cost_agents (
    uid text primary key, namespace text not null, namespace_uid text not null, name text not null, labels jsonb not null)`,
]
