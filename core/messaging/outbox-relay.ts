import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import type { Job, Term } from '#core/jobs/background-work.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Database } from '#core/database/database.ts'
import { codeOf } from '#core/database/session/database-errors.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { asSpan } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Bus } from './bus/bus.ts'
import { toCloudEvent } from './wire/cloud-event.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import { followLog } from './log-tail.ts'
import { openRelayCursor, relayName } from './relay-cursor.ts'
import type { RelayCursor } from './relay-cursor.ts'
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
  readonly pollMs?: number | undefined
  /** Longest time that a published position is not stored; default 250 ms. */
  readonly saveEveryMs?: number
}

const inFlight = 100
const batchSize = 500
const pauses = { minMs: 50, maxMs: 5_000 }

/**
 * Job that publishes the log to the bus in position order, at least once; one runs per installation. The cursor is stored after the PubAck, at
 * most every `saveEveryMs` (O1). While the bus is unavailable nothing is buffered in memory: the log is the outbox (A6).
 */
export function createRelay(options: RelayOptions): Job {
  return { name: relayName, leaderOnly: true, run: (term) => relay(options, term) }
}

async function relay(options: RelayOptions, term: Term): Promise<void> {
  const { database, pollMs = 5_000, saveEveryMs = 250 } = options
  const failed = options.metrics?.counter(eventMetrics.relayFailures)
  const tail = followLog(database, pollMs)
  let failures = 0
  let cursor: RelayCursor | undefined
  try {
    while (!term.signal.aborted) {
      try {
        cursor ??= await openRelayCursor(database, term.epoch, saveEveryMs)
        const batch = await tail.read(cursor.position, batchSize)
        if (batch.length > 0) await publishBatch(options, cursor, batch)
        if (cursor.saveInMs() <= 0) await cursor.save()
        if (batch.length === 0) await tail.wait(Math.min(pollMs, cursor.saveInMs()), term.signal)
        failures = 0
      } catch (error) {
        if (term.signal.aborted) break
        // Another leader's cursor may be further; read it again after any failure.
        cursor = undefined
        failed?.inc()
        await backOff(options, ++failures, error, term.signal)
      }
    }
    // Events above the stored position are published again by the next leader.
    await cursor?.save().catch(() => undefined)
  } finally {
    await tail.stop()
  }
}

async function publishBatch(options: RelayOptions, cursor: RelayCursor, batch: readonly StoredEvent[]): Promise<void> {
  const { count, failure } = await publishInOrder(options, batch, { install: options.install, epoch: cursor.logEpoch })
  const last = batch[count - 1]
  if (last !== undefined) cursor.advance(last.position)
  options.metrics?.counter(eventMetrics.published).inc({}, count)
  if (failure === undefined) return
  await cursor.save()
  throw failure
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

async function backOff(options: RelayOptions, failures: number, error: unknown, signal: AbortSignal): Promise<void> {
  const reason = codeOf(error) ?? (error instanceof Error ? error.name : 'unknown')
  if (failures === 1 || failures % 60 === 0) options.log?.warn({ reason, failures }, 'relay failed to publish')
  await sleep(backoffMs(failures, pauses), signal)
}
