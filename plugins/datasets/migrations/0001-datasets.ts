import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const breaking = false

/** Datasets with cases, labels and pins, and the cases that exports have read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const content = `digest text not null, input_digest text not null,
    input text not null, expected text, metadata text not null, tags text[] not null`

const statements = [
  `create table datasets_datasets (
    id uuid primary key,
    namespace text not null, namespace_uid text not null, name text not null,
    description text not null, allowed_namespaces jsonb, input_schema text, expected_schema text,
    version integer not null, cases integer not null, labels integer not null,
    mark integer not null, latest_mark integer,
    created_by text not null, created_at timestamptz not null, updated_at timestamptz not null,
    unique (namespace_uid, name)
  )`,
  'create index datasets_datasets_by_name on datasets_datasets (name, id)',
  `create table datasets_cases (
    rev bigint generated always as identity primary key,
    position bigint not null,
    dataset_id uuid not null references datasets_datasets (id) on delete cascade,
    id text collate "C" not null,
    first_mark integer, end_mark integer,
    ${content},
    run_id uuid, trace_id text, archived boolean not null, bytes integer not null,
    created_at timestamptz not null, updated_at timestamptz not null
  )`,
  'create sequence datasets_positions',
  'create unique index datasets_cases_live on datasets_cases (dataset_id, id) where end_mark is null',
  'create index datasets_cases_by_position on datasets_cases (dataset_id, position) where end_mark is null',
  'create index datasets_cases_by_id on datasets_cases (dataset_id, id)',
  `create table datasets_pins (
    dataset_id uuid not null references datasets_datasets (id) on delete cascade,
    mark integer not null, version integer, digest text not null, cases integer not null,
    note text not null, created_by text not null, created_at timestamptz not null,
    primary key (dataset_id, mark), unique (dataset_id, version), unique (dataset_id, digest)
  )`,
  `create table datasets_labels (
    id uuid primary key,
    dataset_id uuid not null references datasets_datasets (id) on delete cascade,
    case_id text collate "C" not null,
    name text not null, data_type text not null, value text not null, comment text,
    source text not null, annotator text not null, supersedes uuid unique, created_at timestamptz not null,
    request_key bytea unique, request_hash bytea
  )`,
  'create index datasets_labels_by_case on datasets_labels (dataset_id, case_id, id)',
  'create index datasets_labels_by_annotator on datasets_labels (annotator)',
  `create table datasets_exports (
    run_id uuid primary key,
    namespace text not null, namespace_uid text not null, dataset text not null, into_dataset text,
    sealed_access text not null, created_by text not null, created_at timestamptz not null, finished_at timestamptz, output text
  )`,
  'create index datasets_exports_by_age on datasets_exports (created_at)',
  'create index datasets_exports_by_namespace on datasets_exports (namespace_uid)',
  `create table datasets_staged (
    run_id uuid not null references datasets_exports (run_id) on delete cascade,
    n integer not null, id text collate "C" not null,
    ${content},
    source_run_id uuid, trace_id text, bytes integer not null,
    primary key (run_id, n)
  )`,
  `create table datasets_usage (
    namespace_uid text primary key, datasets bigint not null check (datasets >= 0), bytes bigint not null
  )`,
]
