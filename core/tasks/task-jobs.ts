import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import type { Job } from '#core/jobs/background-work.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { taskMetrics } from './metrics.ts'

const metricsMs = 10_000
const retentionMs = 60_000
const batch = 1_000
const mostCounted = 10_000

/** Job that deletes done and dead tasks whose time has passed; by the leader, in batches, by the clock of the database. */
export function createTaskRetention({ database }: { readonly database: Database }): Job {
  const name = 'tasks.retention'
  return {
    name,
    leaderOnly: true,
    every: retentionMs,
    run: async ({ epoch, signal }) => {
      for (let deleted = batch; deleted >= batch && !signal.aborted;)
        deleted = await database.root.transaction().execute(async (db) => {
          await assertEpoch(db, name, epoch)
          const { rows } = await sql`delete from tasks where id in (
            select id from tasks where delete_after < clock_timestamp() order by delete_after limit ${batch}) returning 1`.execute(
            db,
          )
          return rows.length
        })
    },
  }
}

/** Job that measures the queue, in every worker: a hanging one must not look idle. `types` are those with a handler. */
export function createTaskMetricsJob(database: Database, metrics: Metrics, types: () => readonly string[]): Job {
  const waiting = metrics.gauge(taskMetrics.waiting)
  const oldest = metrics.gauge(taskMetrics.oldestSeconds)
  const dead = metrics.gauge(taskMetrics.dead)
  return {
    name: 'tasks.metrics',
    leaderOnly: false,
    every: metricsMs,
    run: async () => {
      for (const one of await readQueues(database, types())) {
        waiting.set(one.waiting, { task: one.type })
        oldest.set(one.oldestSeconds, { task: one.type })
        dead.set(one.dead, { task: one.type })
      }
    },
  }
}

/** State of the queue of one type of task. Counts end at 10,000. */
export interface TaskQueueState {
  readonly type: string
  readonly waiting: number
  readonly oldestSeconds: number
  readonly dead: number
}

/** Reads the state of queues. The oldest task is found by one step of the index for each namespace. */
export async function readQueues(
  database: Pick<Database, 'root'>,
  types: readonly string[],
): Promise<readonly TaskQueueState[]> {
  if (types.length === 0) return []
  const { rows } = await sql<TaskQueueState>`
    with recursive given as (select unnest(${[...types]}::text[]) as type),
    pairs (type, namespace) as (
      select g.type, first.namespace from given g cross join lateral (
        select namespace from tasks where state = 'ready' and type = g.type order by namespace limit 1) first
      union all
      select p.type, next.namespace from pairs p cross join lateral (
        select namespace from tasks where state = 'ready' and type = p.type and namespace > p.namespace
        order by namespace limit 1) next),
    oldest as (
      select p.type, min(due.due_at) as due_at from pairs p cross join lateral (
        select due_at from tasks where state = 'ready' and type = p.type and namespace = p.namespace
          and due_at <= clock_timestamp() and (expires_at is null or expires_at < clock_timestamp())
        order by due_at limit 1) due
      group by p.type)
    select g.type, coalesce(extract(epoch from clock_timestamp() - o.due_at), 0)::float8 as "oldestSeconds",
      (select count(*) from (select 1 from tasks where state = 'ready' and type = g.type and due_at <= clock_timestamp()
        and (expires_at is null or expires_at < clock_timestamp()) limit ${mostCounted}) w)::float8 as waiting,
      (select count(*) from (select 1 from tasks where state = 'dead' and type = g.type limit ${mostCounted}) d)::float8 as dead
    from given g left join oldest o using (type)`.execute(database.root)
  return rows
}
