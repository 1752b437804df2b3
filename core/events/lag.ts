import { sql } from 'kysely'
import type { Job } from '#core/host/work.ts'
import type { Database } from '#core/store/database.ts'
import { eventMetrics } from '#core/telemetry/core-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { relayName } from './relay.ts'

const everyMs = 10_000

/**
 * The job that reads how far relay and consumers are behind the log. Every worker runs it, not the relay: whose leader hangs must not
 * look as if it had nothing to do.
 */
export function createLagJob(database: Database, metrics: Metrics): Job {
  const outboxEvents = metrics.gauge(eventMetrics.outboxEvents)
  const outboxSeconds = metrics.gauge(eventMetrics.outboxSeconds)
  const consumerLag = metrics.gauge(eventMetrics.consumerLag)
  const deadLetters = metrics.gauge(eventMetrics.deadLetters)
  return {
    name: 'events.lag',
    role: 'worker',
    leaderOnly: false,
    every: everyMs,
    run: async () => {
      const outbox = await readOutbox(database)
      outboxEvents.set(outbox.events)
      outboxSeconds.set(outbox.seconds)
      for (const { consumer, behind, dead } of await readConsumers(database)) {
        consumerLag.set(behind, { consumer })
        deadLetters.set(dead, { consumer })
      }
    },
  }
}

// By positions, not by counting: after an outage there may be millions. A transaction that failed leaves a hole, seen only until it is passed.
async function readOutbox({ db }: Database): Promise<{ readonly events: number; readonly seconds: number }> {
  const { rows } = await sql<{ events: number; seconds: number }>`
    with at as (select coalesce(max(position), 0) as position from cursor where name = ${relayName} and stream = '*'),
    oldest as (select time from events where position > (select position from at) order by position limit 1),
    newest as (select position from events order by position desc limit 1)
    select greatest(0, coalesce((select position from newest), 0) - (select position from at))::float8 as events,
      coalesce((select greatest(0, extract(epoch from clock_timestamp() - time)) from oldest), 0)::float8 as seconds`.execute(
    db,
  )
  return rows[0] ?? { events: 0, seconds: 0 }
}

async function readConsumers({ db }: Database): Promise<readonly { consumer: string; behind: number; dead: number }[]> {
  const { rows } = await sql<{ consumer: string; behind: number; dead: number }>`
    with newest as (select position from events order by position desc limit 1),
    dead as (select consumer, count(*) as count from dead_letter where dead_at is not null group by consumer)
    select c.name as consumer,
      greatest(0, coalesce((select position from newest), 0) - c.position)::float8 as behind,
      coalesce(dead.count, 0)::float8 as dead
    from cursor c left join dead on dead.consumer = c.name
    where c.stream = '*' and c.name != ${relayName}`.execute(db)
  return rows
}
