import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Knowledge bases by uid, their documents with the extracted text, chunks that are searched, and ingests with the uploaded bytes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const bases = `create table knowledge_bases (
  uid text primary key, namespace text not null, namespace_uid text not null, name text not null,
  generation bigint, chunk_size integer not null default 1200, chunk_overlap integer not null default 200,
  language text not null default 'english', route text, space text, most_documents integer, most_chunks integer,
  documents integer not null default 0, chunks integer not null default 0, embedded integer not null default 0,
  problem text, created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50)`

const documents = `create table knowledge_documents (
  base_uid text not null references knowledge_bases on delete cascade, id text not null,
  ingest_order bigint not null, title text not null, content_type text not null, url text, attributes jsonb not null,
  digest text not null, text text not null, pages integer[] not null, chunk_layout text not null,
  chunks integer not null, created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  primary key (base_uid, id)
)`

const chunks = `create table knowledge_chunks (
  id bigint generated always as identity primary key,
  base_uid text not null, document_id text not null, n integer not null,
  start_offset integer not null, end_offset integer not null, page integer, text text not null,
  search tsvector not null, embedding real[], embedding_space text,
  unique (base_uid, document_id, n),
  foreign key (base_uid, document_id) references knowledge_documents on delete cascade
)`

const ingests = `create table knowledge_ingests (
  id uuid primary key, place bigint generated always as identity,
  base_uid text not null references knowledge_bases on delete cascade, namespace_uid text not null,
  document_id text not null, title text, content_type text, url text, attributes jsonb not null, actor text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'superseded')),
  error text, content bytea, bytes integer not null default 0,
  created_at timestamptz not null default clock_timestamp(), finished_at timestamptz
)`

const statements = [
  bases,
  `create index knowledge_bases_of_namespace on knowledge_bases (namespace_uid)`,
  documents,
  chunks,
  // Vectors do not shrink, and are read whole.
  `alter table knowledge_chunks alter column embedding set storage external`,
  `create index knowledge_chunks_search on knowledge_chunks using gin (search)`,
  `create index knowledge_chunks_of_base on knowledge_chunks (base_uid, id)`,
  ingests,
  `create index knowledge_ingests_of_base on knowledge_ingests (base_uid, place)`,
  `create index knowledge_ingests_open on knowledge_ingests (namespace_uid) where state in ('queued', 'running')`,
  `create index knowledge_ingests_finished on knowledge_ingests (finished_at) where finished_at is not null`,
]
