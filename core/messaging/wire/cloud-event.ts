import type { StoredEvent } from '#core/event-store/event.ts'

/** A domain event as CloudEvents 1.0 JSON. Attribute names are lowercase, as the specification requires. */
export interface CloudEvent {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject: string
  readonly time: string
  readonly datacontenttype: 'application/json'
  readonly dataschema: string
  readonly sequence: string
  readonly data: unknown
  readonly traceparent?: string
  readonly actor?: string
  readonly actorkind?: string
  readonly tenant?: string
  readonly correlationid?: string
  readonly causationid?: string
}

/** Converts a stored event to CloudEvents 1.0, as sent over NATS and returned by the event feed. */
export function toCloudEvent(
  event: StoredEvent,
  from: { readonly install: string; readonly epoch: number },
): CloudEvent {
  const { namespace, kind, name } = event.subject
  return {
    specversion: '1.0',
    id: event.id,
    source: `/mesh/${from.install}/${pluginOf(event.type)}`,
    type: event.type,
    subject: `${namespace ?? '_'}/${kind}/${name}`,
    time: event.time.toISOString(),
    datacontenttype: 'application/json',
    dataschema: toDataSchema(event.type),
    sequence: toSequence(from.epoch, event.position),
    data: event.data,
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    ...(event.actor === undefined ? {} : { actor: event.actor.name, actorkind: event.actor.kind }),
    ...(event.tenant === undefined ? {} : { tenant: event.tenant }),
    ...(event.correlationId === undefined ? {} : { correlationid: event.correlationId }),
    ...(event.causationId === undefined ? {} : { causationid: event.causationId }),
  }
}

/** `<epoch>-<position>`, zero-padded so that it sorts as a string. Integrators order events by it. */
export function toSequence(epoch: number, position: bigint): string {
  return `${String(epoch).padStart(6, '0')}-${String(position).padStart(20, '0')}`
}

/** Parses the position of a sequence; undefined for anything else. */
export function toPosition(sequence: unknown): bigint | undefined {
  if (typeof sequence !== 'string' || !/^\d{6}-\d{20}$/.test(sequence)) return undefined
  return BigInt(sequence.slice(7))
}

/** URI of an event type's schema: the `dataschema` of its message in docs/reference/asyncapi.json. */
export function toDataSchema(type: string): string {
  return `urn:mesh:event:${type}`
}

function pluginOf(type: string): string {
  return type.split('.').at(-3) ?? type
}
