import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { inLiveNamespace, isDeletedUnderLock } from '#core/cluster/object-index-sql.ts'
import { usageTable } from '#core/database/usage-table.ts'
import type { Reader } from '#core/event-store/store.ts'
import { readRows } from '#core/http/store/read-rows.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { DatasetsTables, SelectedDataset } from '../contract/tables.ts'

/** Transaction on the tables of the plugin. */
export type DatasetsTx = Transaction<DatasetsTables>

/** Name of a dataset. */
export interface DatasetKey {
  readonly namespace: string
  readonly name: string
}

/** Datasets and bytes of namespaces. */
export const datasetUsage = usageTable('datasets_usage', { owner: 'namespace_uid', counts: ['datasets', 'bytes'] })

/** Finds the dataset with a name, in a live namespace. */
export async function findDataset(
  db: Reader<DatasetsTables>,
  { namespace, name }: DatasetKey,
): Promise<SelectedDataset | undefined> {
  return db
    .selectFrom('datasets_datasets')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .where(inLiveNamespace('datasets_datasets.namespace_uid'))
    .executeTakeFirst()
}

/** Finds a dataset by its id; undefined once it or its namespace was deleted. */
export async function findDatasetOfId(db: Reader<DatasetsTables>, id: string): Promise<SelectedDataset | undefined> {
  return db
    .selectFrom('datasets_datasets')
    .selectAll()
    .where('id', '=', id)
    .where(inLiveNamespace('datasets_datasets.namespace_uid'))
    .executeTakeFirst()
}

/** As `findDataset`, and locks it until COMMIT: writers of a dataset wait for each other. */
export async function lockDataset(db: DatasetsTx, { namespace, name }: DatasetKey) {
  return db
    .selectFrom('datasets_datasets')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .where(inLiveNamespace('datasets_datasets.namespace_uid'))
    .forUpdate()
    .executeTakeFirst()
}

/** Lists datasets by name. */
export function listDatasets(
  db: Reader<DatasetsTables>,
  { namespace }: Access<'list', 'datasets'>,
  prefix: string | undefined,
  page: RowPage,
): Promise<readonly SelectedDataset[]> {
  const where = prefix === undefined ? [] : [sql<boolean>`starts_with(datasets_datasets.name, ${prefix})`]
  const order = { columns: ['name', 'id'], direction: 'asc' } as const
  return readRows(db, { table: 'datasets_datasets', namespace, where, order, page })
}

/** Fields of a dataset that its users set. */
export interface DatasetFields {
  readonly description: string
  readonly allowedNamespaces: readonly string[] | null
  readonly inputSchema: unknown
  readonly expectedSchema: unknown
}

/** A dataset to create. */
export interface NewDataset extends DatasetKey, DatasetFields {
  readonly id: string
  readonly namespaceUid: string
  readonly createdBy: string
  readonly at: Date
}

/** Inserts a dataset; undefined if there is one of that name, `deleted` in a namespace that was deleted meanwhile. */
export async function insertDataset(
  db: DatasetsTx,
  { id, namespace, namespaceUid, name, createdBy, at, ...fields }: NewDataset,
): Promise<SelectedDataset | 'deleted' | undefined> {
  // Rows of a namespace are removed after its deletion was stored: none may follow.
  if (await isDeletedUnderLock(db, 'Namespace', namespaceUid)) return 'deleted'
  return db
    .insertInto('datasets_datasets')
    .values({
      id,
      namespace,
      namespace_uid: namespaceUid,
      name,
      ...columnsOf(fields),
      version: 1,
      cases: 0,
      labels: 0,
      mark: 0,
      latest_mark: null,
      created_by: createdBy,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Replaces the fields of a locked dataset. */
export function updateDataset(db: DatasetsTx, { id, version }: SelectedDataset, fields: DatasetFields, at: Date) {
  return db
    .updateTable('datasets_datasets')
    .set({ ...columnsOf(fields), version: version + 1, updated_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

function columnsOf({ description, allowedNamespaces, inputSchema, expectedSchema }: DatasetFields) {
  const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
  return {
    description,
    allowed_namespaces: json(allowedNamespaces),
    input_schema: json(inputSchema),
    expected_schema: json(expectedSchema),
  }
}

/** Adds to the counters of a locked dataset. */
export async function addToDataset(
  db: DatasetsTx,
  id: string,
  { cases = 0, labels = 0 }: { readonly cases?: number; readonly labels?: number },
  at: Date,
): Promise<SelectedDataset> {
  return db
    .updateTable('datasets_datasets')
    .set({
      cases: sql<number>`cases + ${cases}::integer`,
      labels: sql<number>`labels + ${labels}::integer`,
      updated_at: at,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Deletes datasets with everything below them, and what they count for their namespaces. */
export async function deleteDatasets(db: DatasetsTx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<{ owner: string; datasets: number; bytes: number }>`
    select d.namespace_uid as owner, count(distinct d.id)::integer as datasets, coalesce(sum(c.bytes), 0)::float8 as bytes
    from datasets_datasets d left join datasets_cases c on c.dataset_id = d.id
    where d.id = any(${[...ids]}::uuid[]) group by 1`.execute(db)
  await sql`delete from datasets_datasets where id = any(${[...ids]}::uuid[])`.execute(db)
  await datasetUsage.subtract(db, rows)
}
