import { exponentialMs } from '#core/async/backoff.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Database } from '#core/database/database.ts'
import type { Store } from '#core/event-store/store.ts'
import { createSignal } from '#core/async/signal.ts'
import type { Signal } from '#core/async/signal.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Bus, Delivery, Subscription } from '../bus/bus.ts'
import { toPosition } from '../wire/cloud-event.ts'
import { createBatchInterval } from './batch-interval.ts'
import { registerConsumer } from './checkpoint.ts'
import type { Consumer } from './consumer.ts'
import { createEventLog } from './log-reader.ts'
import type { EventLog } from './log-reader.ts'
import type { StoredEvent } from '#core/event-store/event.ts'
import type { HandlingOptions } from './handler-transaction.ts'
import { toDurable } from '../bus/durable-consumers.ts'
import { eventMetrics } from '../wire/metrics.ts'
import { handleStream } from './ordered-delivery.ts'
import { toSubjects } from '../wire/subjects.ts'
import { handleRedriven, sweep } from './catch-up.ts'
import { handleUnordered } from './unordered-delivery.ts'

/** Dependencies and limits of consumers. */
export interface RunConsumersOptions {
  readonly store: Store
  readonly database: Database
  readonly bus: Pick<Bus, 'consume'>
  readonly consumers: readonly Consumer[]
  readonly log?: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  /** Failed attempts after which an event is dead; default 5. */
  readonly maxAttempts?: number
  /** Default one minute. */
  readonly sweepEveryMs?: number
  /** Longest interval of a consumer's batches under load; default 100 ms. */
  readonly batchEveryMs?: number
}

const redelivery = { minMs: 100, maxMs: 30_000 }

/** Running consumers. */
export interface RunningConsumers {
  /** Subscribes the consumers that are not yet subscribed, and sweeps them at once and every minute. */
  subscribe(): Promise<void>
  /** Sweeps before the subscription as well, while the bus is unavailable: the log requires only the store. */
  sweepMeanwhile(): void
  /** Sweeps every consumer now, including redriven events. Resolves when all are done. */
  sweepNow(): Promise<void>
  /** Waits for handlers in progress. */
  stop(): Promise<void>
}

/** Starts consumers and subscribes them to the bus. If one subscription fails, none runs. */
export async function runConsumers(options: RunConsumersOptions): Promise<RunningConsumers> {
  const running = await startConsumers(options)
  await running.subscribe().catch(async (error: unknown) => {
    await running.stop()
    throw error
  })
  return running
}

/** Registers consumers. They handle events once they are subscribed or swept. */
export async function startConsumers(options: RunConsumersOptions): Promise<RunningConsumers> {
  const log = createEventLog(options.database)
  const handling = toHandling(options)
  const stopped = new AbortController()
  const subscriptions = new Map<Consumer, Subscription>()
  for (const consumer of options.consumers) await registerConsumer(options.database, consumer)
  const loops = new Map<Consumer, { readonly again: Signal; readonly done: Promise<void> }>()
  const sweepFrom = (consumer: Consumer): void => {
    const again = createSignal()
    const done = keepSweeping(options, handling, { consumer, again, signal: stopped.signal })
    loops.set(consumer, { again, done })
  }
  return {
    sweepMeanwhile: () => options.consumers.filter((consumer) => !loops.has(consumer)).forEach(sweepFrom),
    subscribe: async () => {
      for (const consumer of options.consumers) {
        if (subscriptions.has(consumer)) continue
        const [durable, subjects] = [toDurable(consumer.name), toSubjects(consumer.types)]
        const interval = createBatchInterval(options.batchEveryMs ?? 100, consumer.everyMs)
        const handle = async (batch: readonly Delivery[]): Promise<void> => {
          const startedAt = performance.now()
          const isDone = await handleBatch(handling, consumer, log, batch)
          if (isDone) await interval.wait(startedAt, stopped.signal)
        }
        const subscription = await options.bus.consume(durable, subjects, handle)
        if (stopped.signal.aborted) return subscription.stop()
        subscriptions.set(consumer, subscription)
        // One more sweep after the subscription finds every event missed before it.
        const sweeping = loops.get(consumer)
        if (sweeping === undefined) sweepFrom(consumer)
        else sweeping.again.notify()
      }
    },
    stop: async () => {
      stopped.abort()
      await Promise.all([
        ...[...subscriptions.values()].map((one) => one.stop()),
        ...[...loops.values()].map(({ done }) => done),
      ])
    },
    sweepNow: async () => {
      for (const consumer of options.consumers) {
        await handleRedriven(handling, consumer)
        await sweep(handling, consumer, log, stopped.signal)
      }
    },
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
      options.log?.error({ consumer }, 'event moved to the dead-letter table')
    },
  }
}

interface Sweeping {
  readonly consumer: Consumer
  readonly again: Signal
  readonly signal: AbortSignal
}

// The first sweep runs at once and finds what the bus lost while no consumer was subscribed.
async function keepSweeping(
  options: RunConsumersOptions,
  handling: HandlingOptions,
  { consumer, again, signal }: Sweeping,
): Promise<void> {
  const log = createEventLog(options.database)
  const every = options.sweepEveryMs ?? 60_000
  while (!signal.aborted) {
    try {
      await handleRedriven(handling, consumer)
      await sweep(handling, consumer, log, signal)
    } catch (error) {
      const reason = error instanceof Error ? error.name : 'unknown'
      options.log?.warn({ consumer: consumer.name, reason }, 'sweep failed')
    }
    // Jitter prevents replicas from sweeping at the same time.
    await again.wait(every * (0.9 + 0.2 * Math.random()), signal)
  }
}

/** A message is only a hint: events are read from the log, and acknowledged after COMMIT (A5). Returns whether all are handled. */
async function handleBatch(
  handling: HandlingOptions,
  consumer: Consumer,
  log: EventLog,
  batch: readonly Delivery[],
): Promise<boolean> {
  const positions = new Map(batch.map((message) => [message, positionOf(message)]))
  const known = [...new Set([...positions.values()].filter((position) => position !== undefined))]
  const events = new Map((await log.readPositions(known)).map((event) => [event.position, event]))
  const attempts = await handleEvents(handling, consumer, [...events.values()])
  for (const message of batch) {
    const event = events.get(positions.get(message) ?? -1n)
    const failed = event === undefined ? undefined : attempts.get(event.id)
    // Acknowledges a message whose event is not (or no longer) in the log.
    if (failed === undefined) message.ack()
    else message.nak(exponentialMs(failed, redelivery))
  }
  return attempts.size === 0
}

// Number of attempts of each unhandled event.
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
