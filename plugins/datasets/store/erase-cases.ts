import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import { datasetUsage } from './datasets.ts'

interface ErasedOfDataset {
  readonly owner: string
  readonly datasets: number
  readonly bytes: number
}

/**
 * Erases the cases that were made from runs, with their labels, from datasets, pins and exports. A pin keeps its version and its digest, and has fewer
 * cases.
 */
export async function eraseCasesOfRuns(tx: Tx, runIds: readonly string[]): Promise<void> {
  const db = tx.tables()
  const runs = sql`any(${[...runIds]}::uuid[])`
  await sql`delete from datasets_staged where source_run_id = ${runs}`.execute(db)
  // Writers lock the dataset first.
  const { rows: locked } = await sql`select 1 from datasets_datasets where id in (
    select dataset_id from datasets_cases where run_id = ${runs}) order by id for update`.execute(db)
  if (locked.length === 0) return
  const { rows } = await sql<ErasedOfDataset>`
    with made as (select distinct dataset_id, id from datasets_cases where run_id = ${runs}),
    gone as (delete from datasets_cases c using made where c.dataset_id = made.dataset_id and c.id = made.id
      returning c.dataset_id, c.first_mark, c.end_mark, c.archived, c.bytes),
    unlabelled as (delete from datasets_labels l using made where l.dataset_id = made.dataset_id and l.case_id = made.id
      returning l.dataset_id, l.supersedes),
    fewer as (select p.dataset_id, p.mark, count(*)::integer as cases from gone g join datasets_pins p
      on p.dataset_id = g.dataset_id and p.mark >= g.first_mark and (g.end_mark is null or p.mark < g.end_mark) group by 1, 2),
    pins as (update datasets_pins p set cases = p.cases - fewer.cases from fewer
      where p.dataset_id = fewer.dataset_id and p.mark = fewer.mark),
    labels as (select dataset_id, (count(*) filter (where supersedes is null))::integer as labels from unlabelled group by 1),
    sums as (select g.dataset_id, (count(*) filter (where g.end_mark is null and not g.archived))::integer as cases,
      sum(g.bytes)::float8 as bytes from gone g group by 1)
    update datasets_datasets d set cases = d.cases - sums.cases, labels = greatest(d.labels - coalesce(labels.labels, 0), 0)
    from sums left join labels on labels.dataset_id = sums.dataset_id where d.id = sums.dataset_id
    returning d.namespace_uid as owner, 0 as datasets, sums.bytes as bytes`.execute(db)
  await datasetUsage.subtract(db, rows)
}
