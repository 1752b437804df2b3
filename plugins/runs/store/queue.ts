import { sql } from 'kysely'
import type { RunsTables } from '../contract/tables.ts'
import type { Reader } from '#core/event-store/store.ts'

/** Milliseconds until the next run is due or the next lease expires; undefined if neither is known. Runs that are due do not count. */
export async function readNextDue(db: Reader<RunsTables>): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select extract(epoch from min(due) - clock_timestamp())::float8 * 1000 as ms
    from (select greatest(wake_at, expires_at) as due from runs_lease where state = 'ready') ready
    where due > clock_timestamp()`.execute(db)
  return rows[0]?.ms ?? undefined
}

/** State of the queue: waiting runs, seconds that the oldest has waited, and runs with a lease. */
export interface QueueState {
  readonly waiting: number
  readonly oldestSeconds: number
  readonly held: number
}

/** Reads the state of the queue. Its index contains no finished runs. */
export async function readQueue(db: Reader<RunsTables>): Promise<QueueState> {
  const { rows } = await sql<QueueState>`
    with ready as (
      select wake_at, expires_at >= clock_timestamp() as held from runs_lease
      where state = 'ready' and wake_at <= clock_timestamp())
    select count(*) filter (where held is not true)::float8 as "waiting", count(*) filter (where held)::float8 as "held",
      coalesce(extract(epoch from clock_timestamp() - min(wake_at) filter (where held is not true)), 0)::float8
        as "oldestSeconds"
    from ready`.execute(db)
  return rows[0] ?? { waiting: 0, oldestSeconds: 0, held: 0 }
}
