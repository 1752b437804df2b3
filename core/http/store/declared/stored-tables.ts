import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { DeclaredMigration } from '#core/database/migration.ts'
import { tablesOf } from './stored-names.ts'
import type { StoredNames } from './stored-names.ts'
import type { StoredResource } from './stored-resource.ts'

/**
 * Migrations of a stored resource, since its tables follow from its declaration: fields are JSON, so that a change of the schema needs none. A part that is
 * added to a declaration later has its own migration. None is ever changed.
 */
export function storedMigrations({ names, spec }: StoredResource): readonly DeclaredMigration[] {
  const { revisions, children = {} } = spec
  const { plural } = names
  const one = (name: string, statements: readonly RawBuilder<unknown>[]): DeclaredMigration => ({
    name: `stored-${plural}${name}`,
    breaking: false,
    up: (db) => runAll(db, statements),
  })
  return [
    one('', tableOf(names)),
    ...(revisions === undefined ? [] : [one('-revisions', revisionTablesOf(names))]),
    ...Object.keys(children).map((step) => one(`-${step}`, childTableOf(names, step))),
  ]
}

async function runAll(db: Kysely<unknown>, statements: readonly RawBuilder<unknown>[]): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}

function tableOf(names: StoredNames): readonly RawBuilder<unknown>[] {
  const table = sql.table(names.table)
  return [
    sql`create table ${table} (
      id uuid primary key, namespace text not null, namespace_uid text not null, name text not null,
      fields jsonb not null, version integer not null, revision integer,
      created_at timestamptz not null, created_by text not null, updated_at timestamptz not null, updated_by text not null,
      request_key bytea unique, request_hash bytea, unique (namespace_uid, name)
    )`,
    sql`create index on ${table} (namespace, id)`,
    sql`create index on ${table} (namespace, name, id)`,
    sql`create table ${sql.table(tablesOf.usage(names))} (
      namespace_uid text primary key, items bigint not null check (items >= 0)
    )`,
  ]
}

function revisionTablesOf(names: StoredNames): readonly RawBuilder<unknown>[] {
  const parent = sql.table(names.table)
  const moves = sql.table(tablesOf.moves(names))
  return [
    sql`create table ${sql.table(tablesOf.revisions(names))} (
      object_id uuid not null references ${parent} on delete cascade, version integer not null,
      fields jsonb not null, created_at timestamptz not null, created_by text not null, primary key (object_id, version)
    )`,
    // The labels of an object are the newest move of each.
    sql`create table ${moves} (
      n bigint generated always as identity primary key,
      object_id uuid not null references ${parent} on delete cascade, label text not null,
      from_version integer, to_version integer, moved_at timestamptz not null, moved_by text not null
    )`,
    sql`create index on ${moves} (object_id, label, n)`,
    sql`create index on ${moves} (object_id, n)`,
  ]
}

function childTableOf(names: StoredNames, step: string): readonly RawBuilder<unknown>[] {
  const table = sql.table(tablesOf.child(names, step))
  return [
    sql`create table ${table} (
      n bigint generated always as identity primary key, id uuid not null unique,
      object_id uuid not null references ${sql.table(names.table)} on delete cascade,
      fields jsonb not null, created_at timestamptz not null, created_by text not null,
      request_key bytea unique, request_hash bytea
    )`,
    sql`create index on ${table} (object_id, n)`,
  ]
}
