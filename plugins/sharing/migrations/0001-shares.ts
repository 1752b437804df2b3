import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Shares of runs with their snapshots, and their number and bytes by namespace. Ids are UUIDv7: each index yields the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table sharing_shares (
    id uuid primary key, token_hash bytea not null unique,
    namespace text not null, namespace_uid text not null, run_id uuid not null, agent_name text,
    created_by text not null, created_at timestamptz not null, expires_at timestamptz not null,
    max_views integer, views integer not null default 0,
    content text not null check (content in ('full', 'none')), content_reason text, bytes bigint not null,
    request_key bytea unique, request_hash bytea
  )`,
  'create index sharing_shares_by_run on sharing_shares (run_id, id)',
  'create index sharing_shares_by_creator on sharing_shares (created_by, id)',
  'create index sharing_shares_by_expiry on sharing_shares (expires_at)',
  `create table sharing_snapshots (
    share_id uuid primary key references sharing_shares on delete cascade,
    head text not null, events text not null
  )`,
  `create table sharing_usage (
    namespace_uid text primary key, shares bigint not null check (shares >= 0), bytes bigint not null check (bytes >= 0)
  )`,
]
