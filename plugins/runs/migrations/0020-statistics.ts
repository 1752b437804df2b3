import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds tables, functions, and columns that may be null. Older processes notice none of them. */
export const breaking = false

/** Sums of runs by minute, five minutes, hour and day, which a consumer maintains (ADR 0263), and the runs of before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await countExisting(db)
}

/** Counts all runs as they are now, with the models of their calls. */
export async function countExisting(db: Kysely<unknown>): Promise<void> {
  await addModels(db)
  for (let last = firstId; ;) {
    const { rows } = await sql<{ id: string }>`
      select id from runs_runs where id > ${last}::uuid order by id limit ${PAGE}`.execute(db)
    const end = rows.at(-1)
    if (end === undefined) return
    await sql`select runs_count(${rows.map(({ id }) => id)}::uuid[])`.execute(db)
    last = end.id
  }
}

const PAGE = 5000
const firstId = '00000000-0000-0000-0000-000000000000'

// The log has the models of the calls that it still holds.
async function addModels(db: Kysely<unknown>): Promise<void> {
  await sql`update runs_costs c set model = first.model from (
      select distinct on (data->>'runId') data->>'runId' as run_id, data->>'model' as model from events
      where type = 'dev.mesh.providers.model-call-metered.v1' and data->>'runId' is not null and data->'payer' is null
      order by data->>'runId', position) first
    where c.run_id = first.run_id::uuid`.execute(db)
}

const numbers = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'micros']
const times = ['duration', 'queue', 'first_token']
const sums = ['runs', ...numbers, ...times]
const keys = [
  'namespace_uid',
  'width',
  'start',
  'agent_uid',
  'state',
  'fail_reason',
  'trigger_kind',
  'model',
  'currency',
]
const dimensions = keys.filter((key) => key !== 'width' && key !== 'start')
const named = ['namespace', 'agent']

const columns = `namespace_uid text not null, namespace text not null, agent_uid text not null, agent text not null, state text not null,
    fail_reason text not null, trigger_kind text not null, model text not null, currency text not null`
const sumColumns = sums.map((name) => `${name} numeric not null`).join(', ')

// Each width divides the next, and 1970 began a day: a row of a width is the sum of the rows of the width below.
const widths = '(values (60), (300), (3600), (86400)) as w(width)'

/** Adds the differences of a group of runs to one of the tables, in the order of the keys. */
function addTo(table: string, more: readonly string[]): string {
  const by = [...keys, ...more].join(', ')
  const added = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
  return `insert into ${table} (${by}, ${named.join(', ')}, ${sums.join(', ')})
      select ${[...keys, ...more].map((key) => (key === 'start' ? placed : key)).join(', ')},
        ${[...named.map((name) => `max(${name})`), ...sums.map((name) => `sum(${name})`)].join(', ')}
      from changes cross join ${widths} group by ${[...keys, ...more].map((key) => (key === 'start' ? placed : key)).join(', ')}
      order by ${[...keys, ...more].map((key) => (key === 'start' ? placed : key)).join(', ')}
      on conflict (${by}) do update set ${added}`
}
const placed = `date_bin(make_interval(secs => width), minute, 'epoch'::timestamptz)`

/**
 * The bounds of the buckets are the powers of 1.2 in milliseconds, so that their middle errs by at most 1/11. Strict: without a time there is no bucket,
 * and not the first one.
 */
export const bucketFunction = `create or replace function runs_bucket(span interval) returns smallint language sql immutable strict as $$
  select least(149, floor(ln(greatest(extract(epoch from span) * 1000, 1)::float8) / ln(1.2::float8)))::smallint $$`

const statements = [
  'alter table runs_costs add column model text',
  'alter table runs_lease add column first_token_at timestamptz',
  `create table runs_counted (
    run_id uuid primary key, minute timestamptz not null, ${columns}, subject text not null,
    ${numbers.map((name) => `${name} numeric not null`).join(', ')}, ${times.map((name) => `${name} smallint`).join(', ')})`,
  `create table runs_sums (${columns}, width integer not null, start timestamptz not null, ${sumColumns},
    primary key (${keys.join(', ')}))`,
  'create index runs_sums_empty on runs_sums (width) where runs = 0',
  `create table runs_subject_sums (${columns}, subject text not null, width integer not null, start timestamptz not null, ${sumColumns},
    primary key (subject, ${keys.join(', ')}))`,
  'create index runs_subject_sums_empty on runs_subject_sums (width) where runs = 0',
  'create index runs_subject_sums_by_runs on runs_subject_sums (namespace_uid, width, start, runs desc)',
  bucketFunction,
  // A histogram is one number, of which each bucket has twelve decimal places, so that sums of numbers are sums of histograms.
  `create function runs_histogram(bucket smallint) returns numeric language sql immutable as $$
    select case when bucket is null then 0 else ('1e' || bucket * 12)::numeric end $$`,
  `create function runs_contributions(ids uuid[]) returns setof runs_counted language sql stable as $$
    select r.id, date_bin('1 minute', r.created_at, 'epoch'::timestamptz), r.namespace_uid, r.namespace, coalesce(r.agent_uid, ''),
      coalesce(r.agent_name, ''), r.state, coalesce(r.fail_reason, ''), left(r.trigger_kind, 64), coalesce(left(c.model, 256), ''),
      case when c.mixed then '*' else coalesce(c.currency, '') end, left(r.subject, 512),
      r.input_tokens::numeric, r.output_tokens::numeric, r.cached_tokens::numeric, r.reasoning_tokens::numeric,
      case when c.mixed then 0 else coalesce(c.micros, 0) end, runs_bucket(r.finished_at - r.started_at),
      runs_bucket(r.started_at - r.created_at), runs_bucket(l.first_token_at - r.started_at)
    from runs_runs r left join runs_costs c on c.run_id = r.id left join runs_lease l on l.run_id = r.id where r.id = any(ids) $$`,
  // Counts what runs are now instead of what they were when they were last counted, so a repeat changes nothing.
  `create function runs_count(ids uuid[]) returns void language plpgsql as $$ begin
    perform pg_advisory_xact_lock(hashtext('runs_count'));
    with after as materialized (select * from runs_contributions(ids)),
    before as materialized (select * from runs_counted where run_id = any(ids)),
    changed as (
      select -1 as sign, gone.* from (table before except all table after) gone
      union all select 1, came.* from (table after except all table before) came),
    changes as materialized (
      select minute, ${dimensions.join(', ')}, ${named.map((name) => `max(${name}) as ${name}`).join(', ')}, subject, sum(sign) as runs,
        ${numbers.map((name) => `sum(sign * ${name}) as ${name}`).join(', ')},
        ${times.map((name) => `sum(sign * runs_histogram(${name})) as ${name}`).join(', ')}
      from changed group by minute, ${dimensions.join(', ')}, subject),
    all_runs as (${addTo('runs_sums', [])}),
    of_subjects as (${addTo('runs_subject_sums', ['subject'])}),
    removed as (delete from runs_counted where run_id = any(ids) and run_id not in (select run_id from after))
    insert into runs_counted select * from after order by run_id
    on conflict (run_id) do update set (minute, ${[...dimensions, ...named].join(', ')}, subject, ${[...numbers, ...times].join(', ')})
      = row(excluded.minute, ${[...dimensions, ...named, 'subject', ...numbers, ...times].map((name) => `excluded.${name}`).join(', ')});
    delete from runs_sums where runs = 0;
    delete from runs_subject_sums where runs = 0;
  end $$`,
]
