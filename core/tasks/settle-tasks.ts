import { sql } from 'kysely'
import type { QueryExecutorProvider } from 'kysely'
import type { TaskLease } from './task-lease.ts'
import { TaskLeaseLost } from './task.ts'
import type { TaskTransaction } from './task.ts'

/** Result of an attempt. `released` does not count as an attempt. */
export type Settlement = TaskLease &
  (
    | { readonly outcome: 'done'; readonly keepMs: number }
    | { readonly outcome: 'dead'; readonly keepMs: number; readonly error: string }
    | { readonly outcome: 'failed'; readonly afterMs: number; readonly error: string }
    | { readonly outcome: 'released'; readonly afterMs: number }
  )

/** Records the ends of attempts in one statement. Returns the ids of those that still held their task. */
export async function settleTasks(
  db: QueryExecutorProvider,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  const rows = settlements.map((one) => ({
    id: one.id,
    epoch: String(one.epoch),
    outcome: one.outcome,
    error: 'error' in one ? one.error : null,
    seconds: ('keepMs' in one ? one.keepMs : one.afterMs) / 1000,
  }))
  const { rows: held } = await sql<{ id: string }>`
    with given as (
      select g.*, outcome in ('done', 'dead') as ended, clock_timestamp() as at,
        clock_timestamp() + make_interval(secs => g.seconds) as later
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as g(id bigint, epoch bigint, outcome text, error text, seconds float8)),
    mine as (select t.id, t.epoch from tasks t join given g using (id, epoch)
      where t.state = 'ready' and t.holder is not null order by t.id for no key update of t),
    removed as (delete from tasks t using given g, mine m
      where t.id = m.id and g.id = m.id and g.outcome = 'done' and g.seconds = 0 returning t.id),
    changed as (update tasks t set holder = null, expires_at = null,
      state = case when g.ended then g.outcome else 'ready' end,
      due_at = case when g.ended then t.due_at else g.later end,
      attempts = t.attempts - case g.outcome when 'released' then 1 else 0 end,
      error = coalesce(g.error, case g.outcome when 'released' then t.error end),
      finished_at = case when g.ended then g.at end, delete_after = case when g.ended then g.later end
      from given g, mine m where t.id = m.id and g.id = m.id and not (g.outcome = 'done' and g.seconds = 0)
      returning t.id)
    select id::text as id from mine`.execute(db)
  return new Set(held.map(({ id }) => id))
}

/** Ends a task in the transaction of its handler. Throws `TaskLeaseLost` if the attempt no longer holds it. */
export async function completeTask(tx: TaskTransaction, lease: TaskLease, keepMs: number): Promise<void> {
  const held = await settleTasks(tx.tables(), [{ ...lease, outcome: 'done', keepMs }])
  if (!held.has(lease.id)) throw new TaskLeaseLost(lease.id, lease.epoch)
}
