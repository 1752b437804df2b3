import { sql } from 'kysely'
import type { QueryExecutorProvider, Transaction } from 'kysely'
import type { RowPage } from '../store-list.ts'
import { tablesOf } from '../declared/stored-names.ts'
import type { StoredNames } from '../declared/stored-names.ts'
import { asJson } from './stored-rows.ts'
import type { StoredRow } from './stored-rows.ts'

/** An immutable revision of an object. */
export interface RevisionRow {
  readonly version: number
  readonly fields: unknown
  readonly created_at: Date
  readonly created_by: string
}

/** Labels of an object, each with its revision. */
export type RevisionLabels = Readonly<Record<string, number>>

/** A move of a label. `n` is its order. */
export interface MoveRow {
  readonly n: bigint
  readonly label: string
  readonly from_version: number | null
  readonly to_version: number | null
  readonly moved_at: Date
  readonly moved_by: string
}

/** Stores the content of a row as its newest revision. */
export async function appendRevision(db: Transaction<unknown>, names: StoredNames, row: StoredRow): Promise<void> {
  await sql`insert into ${sql.table(tablesOf.revisions(names))} (object_id, version, fields, created_at, created_by)
    values (${row.id}, ${row.revision}, ${asJson(row.fields)}, ${row.updated_at}, ${row.updated_by})`.execute(db)
}

/** Finds a revision of an object by its number. */
export async function findRevision(
  db: QueryExecutorProvider,
  names: StoredNames,
  id: string,
  version: number,
): Promise<RevisionRow | undefined> {
  const { rows } = await sql<RevisionRow>`select version, fields, created_at, created_by
    from ${sql.table(tablesOf.revisions(names))} where object_id = ${id} and version = ${version}`.execute(db)
  return rows[0]
}

/** Deletes a revision of an object. Returns whether there was one. */
export async function deleteRevision(
  db: Transaction<unknown>,
  names: StoredNames,
  id: string,
  version: number,
): Promise<boolean> {
  const { rows } = await sql`delete from ${sql.table(tablesOf.revisions(names))}
    where object_id = ${id} and version = ${version} returning version`.execute(db)
  return rows.length > 0
}

/** A page of the revisions of an object, newest first. */
export async function readRevisionRows(
  db: QueryExecutorProvider,
  names: StoredNames,
  id: string,
  { limit, after }: RowPage,
): Promise<readonly RevisionRow[]> {
  const before = after === undefined ? sql`` : sql`and version < ${Number(after[0])}`
  const { rows } = await sql<RevisionRow>`select version, fields, created_at, created_by
    from ${sql.table(tablesOf.revisions(names))} where object_id = ${id} ${before}
    order by version desc limit ${limit}`.execute(db)
  return rows
}

/** Labels of objects, each with its revision, by the id of the object. */
export async function readLabels(
  db: QueryExecutorProvider,
  names: StoredNames,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RevisionLabels>> {
  const { rows } = await sql<{ id: string; label: string; version: number }>`
    select id, label, version from (
      select distinct on (object_id, label) object_id as id, label, to_version as version
      from ${sql.table(tablesOf.moves(names))} where object_id = any(${[...ids]}::uuid[]) order by object_id, label, n desc
    ) newest where version is not null order by label`.execute(db)
  const byId = Map.groupBy(rows, ({ id }) => id)
  return new Map(
    [...byId].map(([id, of]) => [id, Object.fromEntries(of.map(({ label, version }) => [label, version]))]),
  )
}

/** Stores a move of a label. */
export async function insertMove(
  db: Transaction<unknown>,
  names: StoredNames,
  id: string,
  move: Omit<MoveRow, 'n'>,
): Promise<void> {
  await sql`insert into ${sql.table(tablesOf.moves(names))} (object_id, label, from_version, to_version, moved_at, moved_by)
    values (${id}, ${move.label}, ${move.from_version}, ${move.to_version}, ${move.moved_at}, ${move.moved_by})`.execute(
    db,
  )
}

/** Who moved a label of an object last. */
export async function lastMoverOf(
  db: QueryExecutorProvider,
  names: StoredNames,
  id: string,
  label: string,
): Promise<string | undefined> {
  const { rows } = await sql<Pick<MoveRow, 'moved_by'>>`select moved_by from ${sql.table(tablesOf.moves(names))}
    where object_id = ${id} and label = ${label} order by n desc limit 1`.execute(db)
  return rows[0]?.moved_by
}

/** A page of the moves of all labels of an object, newest first. */
export async function readMoves(
  db: QueryExecutorProvider,
  names: StoredNames,
  id: string,
  { limit, after }: RowPage,
): Promise<readonly MoveRow[]> {
  const before = after === undefined ? sql`` : sql`and n < ${after[0]}::bigint`
  const { rows } = await sql<MoveRow>`select n, label, from_version, to_version, moved_at, moved_by
    from ${sql.table(tablesOf.moves(names))} where object_id = ${id} ${before} order by n desc limit ${limit}`.execute(
    db,
  )
  return rows
}
