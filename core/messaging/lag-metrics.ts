import { sql } from 'kysely'
import type { Job } from '#core/jobs/background-work.ts'
import type { Database } from '#core/database/database.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { eventMetrics } from './wire/metrics.ts'
import { relayName } from './relay-cursor.ts'

const everyMs = 10_000
const most = 10_000

interface ConsumerLag {
  readonly consumer: string
  readonly seconds: number
  readonly dead: number
}

/**
 * Job that measures how far relay and consumers lag behind the log. It runs in every worker, not in the relay, since a hanging leader must
 * not look idle.
 */
export function createLagJob(database: Database, metrics: Metrics): Job {
  const outboxEvents = metrics.gauge(eventMetrics.outboxEvents)
  const outboxSeconds = metrics.gauge(eventMetrics.outboxSeconds)
  const consumerLag = metrics.gauge(eventMetrics.consumerLag)
  const deadLetters = metrics.gauge(eventMetrics.deadLetters)
  return {
    name: 'events.lag',
    leaderOnly: false,
    every: everyMs,
    run: async () => {
      const outbox = await readOutbox(database)
      outboxEvents.set(outbox.events)
      outboxSeconds.set(outbox.seconds)
      for (const { consumer, seconds, dead } of await readConsumers(database)) {
        consumerLag.set(seconds, { consumer })
        deadLetters.set(dead, { consumer })
      }
    },
  }
}

// Positions have gaps (a month starts a new range), so events are counted. After an outage there may be millions, hence the limit.
async function readOutbox({ db }: Database): Promise<{ readonly events: number; readonly seconds: number }> {
  const { rows } = await sql<{ events: number; seconds: number }>`
    with at as (select coalesce(max(position), 0) as position from cursor where name = ${relayName} and stream = '*'),
    behind as (select time from events where position > (select position from at) order by position limit ${most})
    select (select count(*) from behind)::float8 as events,
      coalesce((select greatest(0, extract(epoch from clock_timestamp() - time)) from behind limit 1), 0)::float8 as seconds`.execute(
    db,
  )
  return rows[0] ?? { events: 0, seconds: 0 }
}

async function readConsumers({ db }: Database): Promise<readonly ConsumerLag[]> {
  const { rows } = await sql<ConsumerLag>`
    with dead as (select consumer, count(*) as count from dead_letter where dead_at is not null group by consumer)
    select c.name as consumer,
      coalesce((select greatest(0, extract(epoch from clock_timestamp() - e.time)) from events e
        where e.position > c.position order by e.position limit 1), 0)::float8 as seconds,
      coalesce(dead.count, 0)::float8 as dead
    from cursor c left join dead on dead.consumer = c.name
    where c.stream = '*' and c.name != ${relayName}`.execute(db)
  return rows
}
