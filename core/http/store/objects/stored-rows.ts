import { sql } from 'kysely'
import type { QueryExecutorProvider, RawBuilder, Transaction } from 'kysely'
import { inLiveNamespace } from '#core/cluster/object-index-sql.ts'
import type { StoredNames } from '../declared/stored-names.ts'

/** A row of a stored resource. `version` counts its changes, `revision` its contents. */
export interface StoredRow<Fields = unknown> {
  readonly id: string
  readonly namespace: string
  readonly namespace_uid: string
  readonly name: string
  readonly fields: Fields
  readonly version: number
  /** Number of the newest revision; null without revisions. */
  readonly revision: number | null
  readonly created_at: Date
  readonly created_by: string
  readonly updated_at: Date
  readonly updated_by: string
}

/** A namespace and a name in it, both reviewed. */
export interface StoredKey {
  readonly namespace: string
  readonly name: string
}

/** A value as JSON in SQL. */
export function asJson(value: unknown): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** Finds a row by its name, in a live namespace. */
export function findStoredRow(
  db: QueryExecutorProvider,
  names: StoredNames,
  key: StoredKey,
): Promise<StoredRow | undefined> {
  return selectOne(db, names, key)
}

/** As `findStoredRow`, and locks the row until COMMIT. */
export function lockStored(
  db: Transaction<unknown>,
  names: StoredNames,
  key: StoredKey,
): Promise<StoredRow | undefined> {
  return selectOne(db, names, key, sql`for update`)
}

async function selectOne(
  db: QueryExecutorProvider,
  { table }: StoredNames,
  { namespace, name }: StoredKey,
  lock = sql``,
): Promise<StoredRow | undefined> {
  const { rows } =
    await sql<StoredRow>`select * from ${sql.table(table)} where namespace = ${namespace} and name = ${name}
    and ${inLiveNamespace(`${table}.namespace_uid`)} ${lock}`.execute(db)
  return rows[0]
}

/** A new content of a row. */
export interface StoredRowContent {
  readonly fields: unknown
  readonly revision: number | null
  readonly at: Date
  readonly by: string
}

/** Replaces the content of a row, and increments its version. */
export async function updateStored(
  db: Transaction<unknown>,
  { table }: StoredNames,
  id: string,
  { fields, revision, at, by }: StoredRowContent,
): Promise<StoredRow> {
  const { rows } =
    await sql<StoredRow>`update ${sql.table(table)} set fields = ${asJson(fields)}, revision = ${revision},
    version = version + 1, updated_at = ${at}, updated_by = ${by} where id = ${id} returning *`.execute(db)
  return onlyRow(rows)
}

/** Deletes a row with everything below it. */
export async function deleteStored(db: Transaction<unknown>, { table }: StoredNames, id: string): Promise<void> {
  await sql`delete from ${sql.table(table)} where id = ${id}`.execute(db)
}

/** Deletes the rows of namespaces that were deleted, with everything below them. */
export async function deleteOfNamespaces(
  db: Transaction<unknown>,
  tables: readonly string[],
  uids: readonly string[],
): Promise<void> {
  for (const table of tables)
    await sql`delete from ${sql.table(table)} where namespace_uid = any(${[...uids]}::text[])`.execute(db)
}

/**
 * First version of a new row. A name that was deleted continues the versions of its stream: an entity tag of the deleted object never matches
 * its successor.
 */
export function firstVersion(stream: string): RawBuilder<number> {
  return sql<number>`coalesce((select version from streams where stream = ${stream}), 0) + 1`
}

/** The one row of a statement that must return one. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('a row was expected')
  return row
}
