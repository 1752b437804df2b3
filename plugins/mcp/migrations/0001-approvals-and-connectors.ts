import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Decisions on manifests by server and digest, and published servers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table mcp_approvals (
    server_uid text not null, digest text not null, state text not null check (state in ('approved', 'rejected')),
    actor text not null, decided_at timestamptz not null, reason text, primary key (server_uid, digest))`.execute(db)
  await sql`create table mcp_connectors (
    server_uid text primary key, namespace text not null, name text not null, title text not null, description text not null,
    tags text[] not null, url text not null, auth text not null, header text, visible_to text[],
    published_by text not null, published_at timestamptz not null)`.execute(db)
  await sql`create index mcp_connectors_by_title on mcp_connectors (title collate "C", server_uid)`.execute(db)
}
