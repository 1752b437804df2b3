import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '#core/log/logger.ts'
import type { Database } from '#core/store/database.ts'
import type { Store } from '#core/store/store.ts'
import { eventMetrics } from '#core/telemetry/core-metrics.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Bus, Delivery, Subscription } from './bus.ts'
import { toPosition } from './cloudevents.ts'
import { registerConsumer } from './consumer-cursor.ts'
import type { Consumer } from './consumer.ts'
import { createEventLog } from './event-log.ts'
import type { EventLog } from './event-log.ts'
import type { StoredEvent } from './event.ts'
import type { HandlingOptions } from './handle.ts'
import { toDurable } from './durables.ts'
import { handleStream } from './ordered.ts'
import { toSubjects } from './subjects.ts'
import { handleRedriven, sweep } from './sweep.ts'
import { handleUnordered } from './unordered.ts'

/** What consumers run with. */
export interface RunConsumersOptions {
  readonly store: Store
  readonly database: Database
  readonly bus: Bus
  readonly consumers: readonly Consumer[]
  readonly log?: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  /** Failed attempts after which an event is dead; default 5. */
  readonly maxAttempts?: number
  /** Default one minute. */
  readonly sweepEveryMs?: number
}

/** Consumers under way. */
export interface RunningConsumers {
  /** Sweeps every consumer now, redriven events included; resolves when all are done. */
  sweepNow(): Promise<void>
  /** Waits for handlers under way. */
  stop(): Promise<void>
}

/** Starts consumers: each is registered, swept, fed by the bus and swept again every minute. Resolves when all are subscribed. */
export async function runConsumers(options: RunConsumersOptions): Promise<RunningConsumers> {
  const log = createEventLog(options.database)
  const handling = toHandling(options)
  const stopped = new AbortController()
  const running: { subscription: Subscription; loop: Promise<void> }[] = []
  const stop = async (): Promise<void> => {
    stopped.abort()
    await Promise.all(running.flatMap(({ subscription, loop }) => [subscription.stop(), loop]))
  }
  try {
    for (const consumer of options.consumers) {
      await registerConsumer(options.database, consumer)
      const subscription = await options.bus.consume(toDurable(consumer.name), toSubjects(consumer.types), (batch) =>
        handleBatch(handling, consumer, log, batch),
      )
      running.push({ subscription, loop: keepSweeping(options, handling, consumer, stopped.signal) })
    }
  } catch (error) {
    // Whoever starts them again must not have some of them twice.
    await stop()
    throw error
  }
  return {
    sweepNow: async () => {
      for (const consumer of options.consumers) {
        await handleRedriven(handling, consumer)
        await sweep(handling, consumer, log, stopped.signal)
      }
    },
    stop,
  }
}

function toHandling(options: RunConsumersOptions): HandlingOptions {
  const dead = options.metrics?.counter(eventMetrics.died)
  const handled = options.metrics?.counter(eventMetrics.handled)
  const delay = options.metrics?.histogram(eventMetrics.delaySeconds)
  return {
    store: options.store,
    database: options.database,
    maxAttempts: options.maxAttempts ?? 5,
    tracer: options.tracer,
    onHandled: (consumer, events) => {
      handled?.inc({ consumer }, events.length)
      for (const { time } of events) delay?.observe(Math.max(0, Date.now() - time.getTime()) / 1000, { consumer })
    },
    onDead: (consumer) => {
      dead?.inc({ consumer })
      options.log?.error({ consumer }, 'an event went to the dead-letter table')
    },
  }
}

// The first sweep is at once: what the bus lost while nobody listened.
async function keepSweeping(
  options: RunConsumersOptions,
  handling: HandlingOptions,
  consumer: Consumer,
  signal: AbortSignal,
): Promise<void> {
  const log = createEventLog(options.database)
  const every = options.sweepEveryMs ?? 60_000
  while (!signal.aborted) {
    try {
      await handleRedriven(handling, consumer)
      await sweep(handling, consumer, log, signal)
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown'
      options.log?.warn({ consumer: consumer.name, reason }, 'a sweep failed')
    }
    // Jitter, so that replicas do not sweep in step.
    await sleep(every * (0.9 + 0.2 * Math.random()), undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** A message only says where to look: the events are read from the log, and acknowledged after COMMIT (A5). */
async function handleBatch(
  handling: HandlingOptions,
  consumer: Consumer,
  log: EventLog,
  batch: readonly Delivery[],
): Promise<void> {
  const positions = new Map(batch.map((message) => [message, positionOf(message)]))
  const known = [...new Set([...positions.values()].filter((position) => position !== undefined))]
  const events = new Map((await log.readPositions(known)).map((event) => [event.position, event]))
  const attempts = await handleEvents(handling, consumer, [...events.values()])
  for (const message of batch) {
    const event = events.get(positions.get(message) ?? -1n)
    const failed = event === undefined ? undefined : attempts.get(event.id)
    // A message that is no event of this log (any more) has nothing left to say.
    if (failed === undefined) message.ack()
    else message.nak(Math.min(30_000, 100 * 2 ** failed))
  }
}

// The attempts so far of each event that is not done.
async function handleEvents(
  handling: HandlingOptions,
  consumer: Consumer,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = events.filter((event) => consumer.types === 'all' || consumer.types.includes(event.type))
  if (consumer.order === 'none') return handleUnordered(handling, consumer, wanted)
  const undone = new Map<string, number>()
  for (const stream of new Set(wanted.map((event) => event.stream))) {
    const attempts = await handleStream(handling, consumer, stream)
    if (attempts === undefined) continue
    for (const event of wanted) if (event.stream === stream) undone.set(event.id, attempts)
  }
  return undone
}

function positionOf(message: Delivery): bigint | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(message.body).toString())
    return typeof body === 'object' && body !== null && 'sequence' in body ? toPosition(body.sequence) : undefined
  } catch {
    return undefined
  }
}
