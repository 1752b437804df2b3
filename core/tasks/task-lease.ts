import { sql } from 'kysely'
import type { QueryExecutorProvider } from 'kysely'
import { TaskLeaseLost } from './task.ts'
import type { TaskTransaction } from './task.ts'

/** Time until a lease expires without renewal. */
export const LEASE_MS = 30_000

/** One attempt of a task, as the queue identifies it. */
export interface TaskLease {
  readonly id: string
  readonly epoch: bigint
}

/** Leases that are still held, and whether they were renewed: a row that its handler is writing is left for the next renewal. */
export async function renewTaskLeases(
  db: QueryExecutorProvider,
  leases: readonly TaskLease[],
  leaseMs: number,
): Promise<ReadonlyMap<string, 'renewed' | 'busy'>> {
  const { rows } = await sql<{ id: string; renewed: boolean }>`
    with mine as materialized (
      select t.id from tasks t
      join unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ epoch }) => String(epoch))}::bigint[]) as l(id, epoch)
        using (id, epoch)
      where t.state = 'ready' and t.holder is not null),
    free as (select id from tasks where id in (select id from mine) for no key update skip locked),
    renewed as (update tasks set expires_at = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})
      where id in (select id from free) returning id)
    select mine.id::text as id, renewed.id is not null as renewed from mine left join renewed using (id)`.execute(db)
  return new Map(rows.map(({ id, renewed }) => [id, renewed ? 'renewed' : 'busy']))
}

/**
 * Throws `TaskLeaseLost` unless the attempt holds the task, and keeps it until COMMIT. A claim skips the locked row, and a renewal does not
 * wait for it. The expiry is not compared, since an unchanged epoch proves that no other process took over.
 */
export async function assertHeld(tx: TaskTransaction, { id, epoch }: TaskLease): Promise<void> {
  const { rows } = await sql`
    select 1 from tasks where id = ${id}::bigint and epoch = ${epoch} and state = 'ready' and holder is not null
    for key share`.execute(tx.tables())
  if (rows.length === 0) throw new TaskLeaseLost(id, epoch)
}
