import type { Tx } from '#core/event-store/store.ts'
import type { EventType, StoredEvent } from '#core/event-store/event.ts'

/** `none`: any order, each event once (inbox). `stream`: the versions of each stream in order (cursor). */
export type ConsumerOrder = 'none' | 'stream'

/** Argument of a handler: the transaction that commits its effect. Further events are appended in it; nothing else may be called. */
export type HandlerContext = Tx

/** A declared consumer. `name` is `<plugin>.<purpose>`, the key of its inbox or cursors. */
export interface Consumer {
  readonly name: string
  readonly types: readonly string[] | 'all'
  readonly order: ConsumerOrder
  readonly from: 'start' | 'now'
  readonly role: 'worker' | 'manager'
  /** Shortest interval of batches in milliseconds; undefined: a few. For sums, which several events of one act change. */
  readonly everyMs?: number | undefined
  /** With order `none` a batch of up to 500 events; with `stream` one stream's events in version order. */
  handle(events: readonly StoredEvent[], context: HandlerContext): Promise<void>
}

/** Declares a consumer of event types. Only a plugin's `consumers.ts` calls it. */
export function on<Data>(
  name: string,
  types: readonly EventType<Data>[] | 'all',
  options: Pick<Consumer, 'order' | 'from' | 'everyMs'> & Partial<Pick<Consumer, 'role'>>,
  handle: (events: readonly StoredEvent<Data>[], context: HandlerContext) => Promise<void>,
): Consumer {
  return {
    name,
    types: types === 'all' ? 'all' : types.map((type) => type.type),
    order: options.order,
    from: options.from,
    role: options.role ?? 'worker',
    everyMs: options.everyMs,
    handle: handle as Consumer['handle'],
  }
}
