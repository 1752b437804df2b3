import type { Static, TSchema } from 'typebox'
import type { AuditDescriptor, EventType, SeenBy } from '#core/event-store/event.ts'

/** Declares an event of a third party: `<domain>.<plugin>.<fact>.v<version>`, with the domain in reverse DNS form (`com.acme`). */
export function defineOwnEvent<S extends TSchema>(spec: {
  readonly domain: string
  readonly plugin: string
  readonly fact: string
  readonly version?: number
  readonly summary: string
  readonly data: S
  readonly audit?: AuditDescriptor
  readonly seenBy?: SeenBy
}): EventType<Static<S>> {
  const version = spec.version ?? 1
  if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(spec.domain))
    throw new TypeError(`${spec.domain}: must be a reverse DNS name`)
  return {
    type: `${spec.domain}.${spec.plugin}.${spec.fact}.v${version}`,
    plugin: spec.plugin,
    fact: spec.fact,
    version,
    summary: spec.summary,
    data: spec.data,
    audit: spec.audit,
    seenBy: spec.seenBy,
  }
}
