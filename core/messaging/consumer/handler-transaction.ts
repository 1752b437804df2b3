import type { Transaction } from 'kysely'
import type { Database } from '#core/database/database.ts'
import type { Store } from '#core/event-store/store.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import { asSpan, createTraceScope } from '#core/telemetry/trace-context.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { childOf, parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import { causedBy } from './caused-appends.ts'
import type { Consumer } from './consumer.ts'
import type { StoredEvent } from '#core/event-store/event.ts'

/** Dependencies of the handling besides the consumer. */
export interface HandlingOptions {
  readonly store: Store
  readonly database: Database
  /** Failed attempts after which an event is moved to the dead-letter table. */
  readonly maxAttempts: number
  /** Called when an event is moved to the dead-letter table. */
  readonly onDead: (consumer: string) => void
  /** Called after the effect of events is committed. */
  readonly onHandled?: (consumer: string, events: readonly StoredEvent[]) => void
  readonly tracer?: Tracer | undefined
}

/** Runs a consumer's handler inside the transaction that commits its effect. */
export type RunHandler = (events: readonly StoredEvent[]) => Promise<void>

/** Opens the transaction of a handler. `work` receives a handle of core's tables, and the consumer's handler bound to the transaction. */
export async function inHandlerTransaction<Result>(
  options: HandlingOptions,
  consumer: Consumer,
  work: (db: Transaction<CoreTables>, run: RunHandler) => Promise<Result>,
): Promise<Result> {
  let handled: readonly StoredEvent[] = []
  const result = await options.store.transact((tx) => {
    handled = []
    return work(tx.tables<CoreTables>(), async (events) => {
      await inTraceOf(options.tracer, consumer, events, () => consumer.handle(events, causedBy(tx, consumer, events)))
      handled = events
    })
  })
  if (handled.length > 0) options.onHandled?.(consumer.name, handled)
  return result
}

// Each event's trace gets a span. Only if the batch has a single trace does the handler run in its context.
async function inTraceOf(
  tracer: Tracer | undefined,
  consumer: Consumer,
  events: readonly StoredEvent[],
  handle: () => Promise<void>,
): Promise<void> {
  const parents = new Map(events.flatMap((event) => toParent(event)))
  const [first] = parents.values()
  if (first === undefined) return handle()
  if (tracer === undefined) {
    if (parents.size > 1) return handle()
    const scope = createTraceScope(childOf(first), undefined)
    return scope.run(handle).finally(() => scope.close())
  }
  const start = { tracer, name: { name: `process ${consumer.name}`, kind: 'consumer' as const } }
  const attributes = { 'messaging.batch.message_count': events.length }
  if (parents.size === 1) return asSpan({ ...start, parent: first, attributes }, handle)
  const spans = [...parents.values()].map((parent) => tracer.start(start.name, parent, attributes))
  let status: 'ok' | 'error' = 'error'
  try {
    await handle()
    status = 'ok'
  } finally {
    for (const span of spans) span.end(status)
  }
}

function toParent({ traceparent }: StoredEvent): [string, Trace][] {
  const parent = parseTraceparent(traceparent)
  return parent === undefined ? [] : [[`${parent.traceId}${parent.spanId}`, parent]]
}
