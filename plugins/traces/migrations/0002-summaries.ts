import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** A row per trace and namespace, which lists read; filled from the stored spans, whose JSON has storable strings only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

// Times are nanoseconds since the epoch; `started_at` has milliseconds, so that a cursor holds it exactly.
const table = `create table traces_summaries (
  trace_id text not null, namespace_uid text not null, namespace text not null,
  agent_uid text not null, agent_name text not null,
  span_id text not null, name text not null, kind text not null, service text,
  has_parent boolean not null, root_nanos bigint not null,
  status text not null, outcome_nanos bigint not null,
  started_at timestamptz not null, started_nanos bigint not null, ended_nanos bigint not null,
  spans integer not null, errors integer not null,
  primary key (trace_id, namespace_uid)
) with (fillfactor = 70)`

const order = 'started_at desc, trace_id desc, namespace_uid desc'

const fill = `with spans as (
    select trace_id, namespace_uid, namespace, agent_uid, agent_name, e ->> 'spanId' as span_id, e ->> 'name' as name,
      e ->> 'kind' as kind, e ->> 'service' as service, e ->> 'parentSpanId' is not null as has_parent, e ->> 'status' as status,
      (e ->> 'start')::bigint as started, (e ->> 'end')::bigint as ended,
      e ->> 'parentSpanId' is null or coalesce(e -> 'attributes' ->> 'gen_ai.operation.name' = 'invoke_agent', false) as is_outer
    from traces_chunks cross join lateral json_array_elements(content::json) e),
  roots as (select distinct on (trace_id, namespace_uid) * from spans order by trace_id, namespace_uid, has_parent, started),
  outcomes as (select distinct on (trace_id, namespace_uid) trace_id, namespace_uid, ended as at, status from spans
    where is_outer order by trace_id, namespace_uid, ended desc),
  sums as (select trace_id, namespace_uid, min(started) as first, max(ended) as last, count(*)::integer as spans,
    count(*) filter (where status = 'error')::integer as errors from spans group by 1, 2)
  insert into traces_summaries
  select r.trace_id, r.namespace_uid, r.namespace, r.agent_uid, r.agent_name, r.span_id, r.name, r.kind, r.service, r.has_parent,
    r.started, coalesce(o.status, 'unset'), coalesce(o.at, 0), to_timestamp((s.first / 1000000) / 1000.0), s.first, s.last, s.spans, s.errors
  from roots r join sums s using (trace_id, namespace_uid) left join outcomes o using (trace_id, namespace_uid)`

const statements = [
  table,
  fill,
  `create index traces_summaries_by_time on traces_summaries (${order})`,
  `create index traces_summaries_by_namespace on traces_summaries (namespace, ${order})`,
  `create index traces_summaries_by_agent on traces_summaries (namespace, agent_name, ${order})`,
  `create index traces_summaries_of_errors on traces_summaries (namespace, ${order}) where status = 'error'`,
]
