import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds and replaces functions with the same meaning. Those of 0003 and 0004 stay for processes of an older version. */
export const breaking = false

/**
 * The append in plans that PostgreSQL keeps. The former plan depended on a parameter, so that it was planned at each call, and joined all
 * streams without statistics (PGlite: 1,400 us, now 250). It returns which positions it assigned (ADR 0073).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [advanceStream, appendToLog]) await sql.raw(statement).execute(db)
}

// First position of the range of a position.
const range = '/ 1000000000000 * 1000000000000'

// As 0006, with the range of the stream's newest event.
const advanceStream = `
create or replace function advance_stream(given text, expected integer, added integer) returns void language plpgsql as $$
declare
  current_range bigint := (select last_value ${range} from events_position);
begin
  if expected > 0 then
    update streams set version = expected + added, last_position = current_range where stream = given and version = expected;
  end if;
  if expected = 0 or (not found and not exists (select 1 from event_ranges where range = 0)) then
    insert into streams (stream, version, last_position) values (given, expected + added, current_range) on conflict do nothing;
  end if;
  if not found then
    raise exception 'stream has another version' using errcode = 'MS002', detail = given, hint = expected::text;
  end if;
end $$`

const columns = `id, stream, version, type, time, namespace, kind, name, namespace_uid, uid, actor_name, actor_kind, data,
      correlation_id, causation_id, traceparent, tenant`

// `nextval` follows the lock, so that position is commit order (O2). `before` is the newest position that was assigned before. A range that
// has begun while a transaction was open is not that of its streams and keys: these are corrected during its first hour, which is
// longer than a transaction may last.
const appendToLog = `
create function append_to_log(lock bigint, given jsonb, versions jsonb, out waited double precision, out before bigint, out last bigint)
language plpgsql as $$
declare
  asked timestamptz := clock_timestamp();
  got timestamptz;
  has_new_range boolean;
  other text;
begin
  perform pg_advisory_xact_lock(lock);
  got := clock_timestamp();
  select s.last_value, exists (select from event_ranges where range > 0 and created_at > now() - interval '1 hour')
    into before, has_new_range from events_position s;
  with rows as materialized (
    select r.* from rows from (jsonb_to_recordset(given) as (
      id text, stream text, version integer, type text, time timestamptz, namespace text, kind text, name text,
      namespace_uid text, uid text, actor_name text, actor_kind text, data jsonb,
      correlation_id text, causation_id text, traceparent text, tenant text)) with ordinality as r
    order by r.ordinality
  )
  insert into events (position, ${columns})
  select nextval('events_position'), ${columns} from rows;
  last := currval('events_position');
  if has_new_range then
    update streams set last_position = last ${range}
      where stream = any (array(select r.stream from jsonb_to_recordset(given) as r (stream text)));
    update event_keys set position = last ${range}
      where event_id = any (array(select r.id from jsonb_to_recordset(given) as r (id text)));
  end if;
  if versions is not null then
    select p.name into other from projection_versions p where (versions ->> p.name)::integer <> p.version limit 1;
    if found then
      raise exception 'projection % has another version', other using errcode = 'MS001';
    end if;
  end if;
  waited := extract(epoch from got - asked);
end $$`
