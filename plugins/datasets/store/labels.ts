import { sql } from 'kysely'
import type { Reader } from '#core/event-store/store.ts'
import type { RowPage } from '#core/http/store/store-list.ts'
import type { DatasetsTables, SelectedLabel } from '../contract/tables.ts'
import type { DatasetsTx } from './datasets.ts'

/** A label, and whether no newer one has replaced it. */
export type ShownLabel = Omit<SelectedLabel, 'request_key' | 'request_hash'> & { readonly current: boolean }

const SHOWN = 100
const isCurrent = sql<boolean>`not exists (select from datasets_labels n where n.supersedes = l.id)`

/** Labels of cases that count, oldest first, at most 100 of each. */
export async function readCurrentLabels(
  db: Reader<DatasetsTables>,
  datasetId: string,
  caseIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ShownLabel[]>> {
  if (caseIds.length === 0) return new Map()
  const { rows } = await sql<ShownLabel>`
    select c.id as case_id, l.id, l.name, l.data_type, l.value, l.comment, l.source, l.annotator, l.supersedes, l.created_at,
      true as current
    from unnest(${[...caseIds]}::text[]) c(id) cross join lateral (
      select * from datasets_labels l where l.dataset_id = ${datasetId}::uuid and l.case_id = c.id and ${isCurrent}
      order by l.id limit ${sql.lit(SHOWN)}) l order by l.id`.execute(db)
  return Map.groupBy(rows, ({ case_id: caseId }) => caseId)
}

/** A page of all labels of a case, newest first. */
export async function listLabels(
  db: Reader<DatasetsTables>,
  { datasetId, caseId }: { readonly datasetId: string; readonly caseId: string },
  { limit, after }: RowPage,
): Promise<readonly ShownLabel[]> {
  const below = after === undefined ? sql<boolean>`true` : sql<boolean>`l.id < ${String(after[0])}::uuid`
  const { rows } = await sql<ShownLabel>`
    select l.*, ${isCurrent} as current from datasets_labels l
    where l.dataset_id = ${datasetId}::uuid and l.case_id = ${caseId} and ${below} order by l.id desc limit ${limit}`.execute(
    db,
  )
  return rows
}

/** The newest label of a case, name and annotator. */
export async function newestLabel(
  db: DatasetsTx,
  key: Pick<SelectedLabel, 'dataset_id' | 'case_id' | 'name' | 'annotator'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select l.id from datasets_labels l where l.dataset_id = ${key.dataset_id}::uuid and l.case_id = ${key.case_id}
      and l.name = ${key.name} and l.annotator = ${key.annotator} and ${isCurrent} limit 1`.execute(db)
  return rows[0]?.id
}

/** Number of labels of a case, with replaced ones. */
export async function countLabels(db: DatasetsTx, datasetId: string, caseId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from datasets_labels
    where dataset_id = ${datasetId}::uuid and case_id = ${caseId}`.execute(db)
  return rows[0]?.count ?? 0
}
