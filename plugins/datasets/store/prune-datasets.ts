import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import type { Eraser } from '#plugins/erasures/contract/points.ts'
import type { Pruner } from '#plugins/pruning/contract/points.ts'

/** Removes the datasets of a deleted namespace, by uid: rows below them first, in batches. */
export const datasetPruner: Pruner = {
  name: 'datasets',
  kinds: ['Namespace'],
  async prune(tx, { uid }, limit) {
    const ofNamespace = sql`dataset_id in (select id from datasets_datasets where namespace_uid = ${uid})`
    const cases = await removeSome(
      tx,
      sql`datasets_cases where rev in (select rev from datasets_cases where ${ofNamespace} limit ${limit})`,
    )
    const labels = await removeSome(
      tx,
      sql`datasets_labels where id in (select id from datasets_labels where ${ofNamespace} limit ${limit - cases})`,
    )
    const staged = await removeSome(
      tx,
      sql`datasets_staged where (run_id, n) in (select s.run_id, s.n from datasets_staged s
        join datasets_exports e on e.run_id = s.run_id where e.namespace_uid = ${uid} limit ${limit - cases - labels})`,
    )
    const removed = cases + labels + staged
    if (removed < limit)
      for (const table of ['datasets_datasets', 'datasets_exports', 'datasets_usage'])
        await removeSome(tx, sql`${sql.table(table)} where namespace_uid = ${uid}`)
    return removed
  },
}

/** Erases the labels that a person gave. Cases that were made from runs of the person follow from `runs.deleted`. */
export const labelEraser: Eraser = {
  name: 'datasets',
  async erase(tx, { subject, namespaceUid }, limit) {
    const within = namespaceUid === null ? sql`true` : sql`d.namespace_uid = ${namespaceUid}`
    const { rows } = await sql<{ dataset_id: string; counted: number; all: number }>`
      with gone as (delete from datasets_labels where id in (
        select l.id from datasets_labels l join datasets_datasets d on d.id = l.dataset_id
        where l.annotator = ${subject} and ${within} limit ${limit}) returning id, dataset_id, supersedes)
      select dataset_id, count(*)::integer as "all", (count(*) filter (where supersedes is null))::integer as counted
      from gone group by 1`.execute(tx.tables())
    const erased = rows.reduce((sum, { all }) => sum + all, 0)
    for (const { dataset_id: id, counted } of rows)
      await sql`update datasets_datasets set labels = greatest(labels - ${counted}::integer, 0) where id = ${id}::uuid`.execute(
        tx.tables(),
      )
    return { erased, next: erased < limit ? 'done' : 'more' }
  },
}

async function removeSome(tx: Tx, from: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql`delete from ${from} returning 1`.execute(tx.tables())
  return rows.length
}
