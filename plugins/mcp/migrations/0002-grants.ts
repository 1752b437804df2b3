import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Consents that have begun, grants of persons, and clients at authorization servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table mcp_consents (
    state_hash bytea primary key, subject text not null, session_hash bytea,
    namespace text not null, server text not null, server_uid text not null,
    sealed text not null, expires_at timestamptz not null
  )`,
  'create index mcp_consents_by_subject on mcp_consents (subject)',
  'create index mcp_consents_by_expiry on mcp_consents (expires_at)',
  `create table mcp_grants (
    id uuid primary key, subject text not null,
    namespace text not null, server text not null, server_uid text not null,
    url text not null, issuer text not null, sealed text not null, scopes text[] not null,
    access_expires_at timestamptz, is_refreshable boolean not null, is_usable boolean not null default true,
    reads_manifest boolean not null, version integer not null default 1, refreshing_until timestamptz,
    created_at timestamptz not null default now(),
    unique (subject, server_uid, url)
  )`,
  'create index mcp_grants_by_server on mcp_grants (server_uid)',
  'create index mcp_grants_by_name on mcp_grants (subject, namespace, server)',
  `create table mcp_oauth_clients (
    server_uid text not null, issuer text not null, redirect_uri text not null,
    sealed text not null, expires_at timestamptz,
    primary key (server_uid, issuer, redirect_uri)
  )`,
]
