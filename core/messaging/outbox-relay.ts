import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Job, Term } from '#core/jobs/background-work.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Database } from '#core/database/database.ts'
import { defer } from '#core/database/statement.ts'
import { assertEpoch } from '#core/database/leader-election.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Bus } from './bus/bus.ts'
import { toCloudEvent } from './wire/cloud-event.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { createEventLog } from './consumer/log-reader.ts'
import { eventMetrics } from './wire/metrics.ts'
import { toSubject } from './wire/subjects.ts'

/** Dependencies of the relay. */
export interface RelayOptions {
  readonly database: Database
  readonly bus: Bus
  readonly install: string
  readonly log?: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  /** Polling interval if no signal arrives, which every append of a living process sends; default five seconds. */
  readonly pollMs?: number
}

/** Name of the relay's lease and cursor. */
export const relayName = 'relay'

const inFlight = 100
const batchSize = 500
const pauses = { minMs: 50, maxMs: 5_000 }

/**
 * Job that publishes the log to the bus in position order: one per installation, at least once, with the cursor advanced after the PubAck
 * (O1). While the bus is unavailable nothing is buffered in memory: the log is the outbox (A6).
 */
export function createRelay(options: RelayOptions): Job {
  return { name: relayName, leaderOnly: true, run: (term) => relay(options, term) }
}

async function relay(options: RelayOptions, term: Term): Promise<void> {
  const { database, pollMs = 5_000 } = options
  const published = options.metrics?.counter(eventMetrics.published)
  const failed = options.metrics?.counter(eventMetrics.relayFailures)
  const log = createEventLog(database)
  const appended = log.subscribe()
  const listening = database.listen('appended')
  let failures = 0
  let position: bigint | undefined
  try {
    while (!term.signal.aborted) {
      try {
        position ??= await readCursor(database)
        const batch = await log.readAfter(position, batchSize)
        if (batch.length === 0) {
          await appended.wait(pollMs, term.signal)
          continue
        }
        const from = { install: options.install, epoch: await log.epoch() }
        const done = await publishInOrder(options, batch, from)
        position = await advance(database, term.epoch, position, batch.slice(0, done.count))
        published?.inc({}, done.count)
        if (done.failure !== undefined) throw done.failure
        failures = 0
      } catch (error) {
        if (term.signal.aborted) return
        // Another leader's cursor may be further; read it again after any failure.
        position = undefined
        failed?.inc()
        await backOff(options, ++failures, error, term.signal)
      }
    }
  } finally {
    await listening.stop()
  }
}

/** Publishes with up to 100 messages unacknowledged. `count` is the number acknowledged from the front. */
async function publishInOrder(
  { bus, tracer }: Pick<RelayOptions, 'bus' | 'tracer'>,
  events: readonly StoredEvent[],
  from: { readonly install: string; readonly epoch: number },
): Promise<{ readonly count: number; readonly failure?: unknown }> {
  const acknowledged = Array.from(events, () => false)
  const failures: unknown[] = []
  let next = 0
  const publishSome = async (): Promise<void> => {
    while (failures.length === 0) {
      const index = next++
      const event = events[index]
      if (event === undefined) return
      try {
        await traced(tracer, event, () => bus.publish(toMessage(event, from)))
        acknowledged[index] = true
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, events.length) }, publishSome))
  const count = acknowledged.indexOf(false) === -1 ? events.length : acknowledged.indexOf(false)
  return failures.length === 0 ? { count } : { count, failure: failures[0] }
}

// Spans are children of the request that caused the event; an event without a trace gets none.
function traced(tracer: Tracer | undefined, event: StoredEvent, publish: () => Promise<void>): Promise<void> {
  const parent = parseTraceparent(event.traceparent)
  if (tracer === undefined || parent === undefined) return publish()
  return asSpan({ tracer, parent, name: { name: `publish ${event.type}`, kind: 'producer' } }, publish)
}

function toMessage(event: StoredEvent, from: { readonly install: string; readonly epoch: number }) {
  return {
    subject: toSubject(event.type, event.subject.namespace),
    id: event.id,
    body: Buffer.from(JSON.stringify(toCloudEvent(event, from))),
  }
}

/** Position of the last published event; 0 on a new installation. */
export async function readCursor(database: Database): Promise<bigint> {
  const row = await database.db
    .selectFrom('cursor')
    .select('position')
    .where('name', '=', relayName)
    .where('stream', '=', '*')
    .executeTakeFirst()
  return row?.position ?? 0n
}

// Checks the epoch: a relay that was paused and replaced must not move the cursor (O5).
async function advance(
  database: Database,
  epoch: bigint,
  before: bigint,
  published: readonly StoredEvent[],
): Promise<bigint> {
  const position = published.at(-1)?.position
  if (position === undefined) return before
  await database.db.transaction().execute(async (db) => {
    await assertEpoch(db, relayName, epoch)
    const moved = db
      .insertInto('cursor')
      .values({ name: relayName, stream: '*', position })
      .onConflict((conflict) => conflict.columns(['name', 'stream']).doUpdateSet({ position }))
    await defer(db, moved)
  })
  return position
}

async function backOff(options: RelayOptions, failures: number, error: unknown, signal: AbortSignal): Promise<void> {
  const reason = codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
  if (failures === 1 || failures % 60 === 0) options.log?.warn({ reason, failures }, 'relay failed to publish')
  await sleep(backoffMs(failures, pauses), signal)
}
