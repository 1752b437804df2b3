import { sql } from 'kysely'
import type { Tx } from '#core/event-store/store.ts'
import { datasetUsage } from './datasets.ts'

/**
 * Removes snapshots that no evaluation has taken for the given days, with the contents that no other pin has. Returns the number of snapshots. An evaluation
 * reads its snapshot for a day at most.
 */
export async function removeOldSnapshots(tx: Tx, days: number, limit: number): Promise<number> {
  const db = tx.tables()
  // Locked like a writer does it: first the dataset.
  const { rows: old } = await sql<{ dataset_id: string }>`
    select id as dataset_id from datasets_datasets where id in (
      select dataset_id from datasets_pins where version is null and created_at < now() - make_interval(days => ${days}::integer)
      order by created_at limit ${limit}) order by id for update`.execute(db)
  if (old.length === 0) return 0
  const ids = old.map(({ dataset_id: id }) => id)
  const { rows: removed } = await sql`
    delete from datasets_pins where (dataset_id, mark) in (
      select dataset_id, mark from datasets_pins where dataset_id = any(${ids}::uuid[]) and version is null
        and created_at < now() - make_interval(days => ${days}::integer) order by created_at limit ${limit}) returning 1`.execute(
    db,
  )
  await removeUnpinned(tx, ids)
  return removed.length
}

/** Removes former contents that are in no pin. Live ones that are in none may be replaced in place again. */
async function removeUnpinned(tx: Tx, datasetIds: readonly string[]): Promise<void> {
  const db = tx.tables()
  const { rows } = await sql<{ owner: string; datasets: number; bytes: number }>`
    with gone as (delete from datasets_cases c where c.dataset_id = any(${[...datasetIds]}::uuid[]) and c.end_mark is not null
      and not exists (select from datasets_pins p where p.dataset_id = c.dataset_id and p.mark >= c.first_mark and p.mark < c.end_mark)
      returning c.dataset_id, c.bytes)
    select d.namespace_uid as owner, 0 as datasets, sum(g.bytes)::float8 as bytes
    from gone g join datasets_datasets d on d.id = g.dataset_id group by 1`.execute(db)
  await datasetUsage.subtract(db, rows)
  await sql`update datasets_cases c set first_mark = null
    where c.dataset_id = any(${[...datasetIds]}::uuid[]) and c.end_mark is null and c.first_mark is not null
      and not exists (select from datasets_pins p where p.dataset_id = c.dataset_id and p.mark >= c.first_mark)`.execute(
    db,
  )
}
