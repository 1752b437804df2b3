import { sql } from 'kysely'
import type { RunsTables } from './tables.ts'
import type { Reader } from '#core/event-store/store.ts'

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
