import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** The first migration, so no older process is running. */
export const breaking = false

/** Creates the event log with its keys, and the tables of relay, consumers and leaders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Ranges of 10^12 positions: each month the sequence jumps to the next range, so no partition ever needs to be split.
  `create sequence events_position as bigint minvalue 1 start 1 cache 1`,
  `create table events (
    position bigint not null default nextval('events_position') primary key,
    id text not null, stream text not null, version integer not null, type text not null, time timestamptz not null,
    namespace text, kind text not null, name text not null, namespace_uid text, uid text,
    actor_name text, actor_kind text, data jsonb not null,
    correlation_id text, causation_id text, traceparent text, tenant text
  ) partition by range (position)`,
  `create index events_by_stream on events (stream, version)`,
  `create table event_ranges (range integer primary key, created_at timestamptz not null default now())`,
  `create table events_0 partition of events for values from (0) to (1000000000000)`,
  `create table events_1 partition of events for values from (1000000000000) to (2000000000000)`,
  `insert into event_ranges (range) values (0)`,
  // Uniqueness cannot span partitions, so it has its own tables, pruned together with the partitions.
  `create table streams (stream text primary key, version integer not null, last_position bigint)`,
  `create index streams_by_last_position on streams (last_position)`,
  `create table event_keys (event_id text primary key, position bigint)`,
  `create index event_keys_by_position on event_keys (position)`,
  // First half of the CloudEvents sequence; a restore increments it.
  `create table event_epoch (epoch integer not null)`,
  `insert into event_epoch (epoch) values (1)`,
  `create table inbox (consumer text not null, event_id text not null, position bigint not null,
    primary key (consumer, event_id))`,
  `create index inbox_by_position on inbox (consumer, position)`,
  // Position of a reader (stream '*': its low watermark), or of one stream of an ordered consumer.
  `create table cursor (name text not null, stream text not null, position bigint not null,
    version integer not null default 0, primary key (name, stream))`,
  `create table dead_letter (consumer text not null, event_id text not null, position bigint not null,
    attempts integer not null, error text not null, dead_at timestamptz,
    redrive boolean not null default false, primary key (consumer, event_id))`,
  `create index dead_letter_redrive on dead_letter (consumer) where redrive`,
  `create table leader (name text primary key, holder text not null, epoch bigint not null,
    expires_at timestamptz not null)`,
]
