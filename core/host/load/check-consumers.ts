import type { Consumer } from '#core/messaging/consumer/consumer.ts'
import { didYouMean } from '#schemas/values/nearest.ts'
import { BootError } from './startup-error.ts'
import type { Core } from '#core/plugin/core-services.ts'

/** Refuses a consumer of an event that no plugin declares: it is never appended. */
export function refuseUndeclared(
  owner: string,
  { name, types }: Consumer,
  known: ReturnType<Core['eventTypes']>,
): void {
  const unknown = types === 'all' ? undefined : types.find((type) => !known.has(type))
  if (unknown !== undefined)
    throw new BootError(
      `${owner}: the event ${unknown}, which its consumer ${name} reads, is declared by no plugin${nearestEvent(unknown, [...known.keys()])}`,
    )
}

/** The nearest declared event, or what an own event lacks. */
export function nearestEvent(type: string, known: readonly string[]): string {
  const near = didYouMean(type, known)
  return near === '' ? '; list it in `events`' : near
}
