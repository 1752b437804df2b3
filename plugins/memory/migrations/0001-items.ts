import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Items of long-term memory, and how many there are by owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const items = `create table memory_items (
  id uuid primary key,
  agent_uid text not null, namespace text not null, subject text,
  text text not null, metadata jsonb not null, bytes integer not null,
  run_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  search tsvector not null,
  embedding real[], embedding_space text
)`

const usage = `create table memory_usage (
  owner text primary key,
  items integer not null check (items >= 0),
  bytes bigint not null check (bytes >= 0)
) with (fillfactor = 50)`

const statements = [
  items,
  // Vectors hardly compress, and are read one by one.
  `alter table memory_items alter column embedding set storage external`,
  `create index memory_items_agent on memory_items (agent_uid, created_at desc, id desc)`,
  `create index memory_items_expiry on memory_items (expires_at)`,
  `create index memory_items_search on memory_items using gin (search)`,
  usage,
]
