import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds a function, which older processes do not notice. */
export const breaking = false

/**
 * Everything between the append lock and COMMIT as one statement without parameters. It is sent together with COMMIT, so that the lock is
 * held without a client round trip. Its plans are cached per session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(appendEvents).execute(db)
}

// Returns the seconds spent waiting for the lock. `nextval` follows the lock, so that position is commit order (O2).
const appendEvents = `
create function append_events(lock bigint, given jsonb, keyed boolean) returns double precision language plpgsql as $$
declare
  asked timestamptz := clock_timestamp();
  got timestamptz;
begin
  perform pg_advisory_xact_lock(lock);
  got := clock_timestamp();
  with rows as materialized (
    select r.* from rows from (jsonb_to_recordset(given) as (
      id text, stream text, version integer, type text, time timestamptz, namespace text, kind text, name text,
      namespace_uid text, uid text, actor_name text, actor_kind text, data jsonb,
      correlation_id text, causation_id text, traceparent text, tenant text)) with ordinality as r
    order by r.ordinality
  ),
  inserted as (
    insert into events (position, id, stream, version, type, time, namespace, kind, name, namespace_uid, uid,
      actor_name, actor_kind, data, correlation_id, causation_id, traceparent, tenant)
    select nextval('events_position'), r.id, r.stream, r.version, r.type, r.time, r.namespace, r.kind, r.name,
      r.namespace_uid, r.uid, r.actor_name, r.actor_kind, r.data, r.correlation_id, r.causation_id, r.traceparent, r.tenant
    from rows r
    returning id, stream, position
  ),
  keys as (
    update event_keys k set position = i.position from inserted i where keyed and k.event_id = i.id
  )
  update streams s set last_position = i.position
  from (select stream, max(position) as position from inserted group by stream) i where s.stream = i.stream;
  return extract(epoch from got - asked);
end $$`
