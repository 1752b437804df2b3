import type { Static, TSchema } from 'typebox'
import { defineEventOf } from '#core/event-store/event.ts'
import type { EventSpec, EventType } from '#core/event-store/event.ts'

/** Declares an event of a third party: `<domain>.<plugin>.<fact>.v<version>`, with the domain in reverse DNS form (`com.acme`). */
export function defineOwnEvent<S extends TSchema>(
  spec: EventSpec<S> & { readonly domain: string },
): EventType<Static<S>> {
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(spec.domain))
    throw new TypeError(`${spec.domain}: must be a reverse DNS name`)
  return defineEventOf(spec.domain, spec)
}
