import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** An older process claims a key where newer ones do not look: together they would write a row twice. */
export const breaking = true

/** Keys in generations that are dropped whole: deleting them one by one was most of what retention cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The one that is open has no `closed_at`; `last_position` is the end of the event log when it was closed.
  `create table audit_key_generations (
    generation integer primary key, opened_at timestamptz not null default clock_timestamp(),
    closed_at timestamptz, last_position bigint)`,
  'insert into audit_key_generations (generation) values (1)',
  'alter table audit_keys rename to audit_keys_before',
  'alter table audit_keys_before drop constraint audit_keys_pkey',
  // The row's id is the digest of the key: it says as much in 16 bytes, and compares without a collation.
  `create table audit_keys (
    generation integer not null, id uuid not null, occurred_at timestamptz not null, exact boolean not null,
    primary key (id, generation)) partition by list (generation)`,
  'create table audit_keys_1 partition of audit_keys for values in (1)',
  `insert into audit_keys
    select 1, (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-8' || substr(hex, 14, 3) || '-a' || substr(hex, 18, 3)
      || '-' || substr(hex, 21, 12))::uuid, occurred_at, exact
    from (select *, encode(sha256(convert_to(key, 'UTF8')), 'hex') as hex from audit_keys_before) as keys`,
  'drop table audit_keys_before',
]
