import type { NewEvent, StoredEvent } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { Consumer } from './consumer.ts'

/**
 * The transaction of a handler. Events that it appends name the consumer's plugin as their actor and the handled event as their cause, unless
 * the handler names others. In a batch of several events only the handler knows which one is the cause.
 */
export function causedBy(tx: Tx, { name }: Pick<Consumer, 'name'>, handled: readonly StoredEvent[]): Tx {
  const [plugin = name] = name.split('.')
  const cause = handled.length === 1 ? handled[0]?.id : undefined
  const caused = <E extends Pick<NewEvent, 'actor' | 'causationId'>>(event: E): E => ({
    ...event,
    actor: event.actor ?? { name: `plugin:${plugin}`, kind: 'system' },
    ...(event.causationId === undefined && cause !== undefined ? { causationId: cause } : {}),
  })
  return {
    ...tx,
    append: (stream, expected, events) => tx.append(stream, expected, events.map(caused)),
    appendEach: (events) => tx.appendEach(events.map((one) => ({ ...one, event: caused(one.event) }))),
  }
}
