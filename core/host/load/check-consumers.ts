import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { BootError } from './startup-error.ts'
import type { Core } from '#core/plugin/core-services.ts'

type KnownTypes = ReturnType<Core['eventTypes']>

/** Refuses a consumer of an event that no plugin declares: it is never appended. */
export function refuseUndeclared(owner: string, { name, types }: Consumer, known: KnownTypes): void {
  if (types !== 'all') refuseUnknown(owner, `consumer ${name}`, types, known)
}

/** Refuses a reconciler that waits for an event that no plugin declares. */
export function refuseUndeclaredWatch(owner: string, { name, watches = [] }: Reconciler, known: KnownTypes): void {
  const types = watches.flatMap(({ events = [] }) => events.map(({ type }) => type))
  refuseUnknown(owner, `reconciler ${name}`, types, known)
}

function refuseUnknown(owner: string, reader: string, types: readonly string[], known: KnownTypes): void {
  const unknown = types.find((type) => !known.has(type))
  if (unknown !== undefined)
    throw new BootError(
      `${owner}: the event ${unknown}, which its ${reader} reads, is declared by no plugin${nearestEvent(unknown, [...known.keys()])}`,
    )
}

/** The nearest declared event, or what an own event lacks. */
export function nearestEvent(type: string, known: readonly string[]): string {
  const near = didYouMean(type, known)
  return near === '' ? '; list it in `events`' : near
}
