import type { Selectable } from 'kysely'
import type { Actor, NewEvent, StoredEvent, Subject } from './event.ts'
import type { EventsTable } from '#core/database/core-tables.ts'

/** An event with a version in its stream, before it has a position. */
export type PlacedEvent = Omit<StoredEvent, 'position'>

/** Converts a row to an event of the log. */
export function toStoredEvent(row: Selectable<EventsTable>): StoredEvent {
  return {
    id: row.id,
    position: row.position,
    stream: row.stream,
    version: row.version,
    type: row.type,
    time: row.time,
    subject: toSubject(row),
    actor: toActor(row),
    data: row.data,
    correlationId: row.correlation_id ?? undefined,
    causationId: row.causation_id ?? undefined,
    traceparent: row.traceparent ?? undefined,
    tenant: row.tenant ?? undefined,
  }
}

/** Creates the event as projections receive it, with the values that a replay reads back. */
export function toPlacedEvent(stream: string, version: number, event: NewEvent & { readonly id: string }): PlacedEvent {
  return {
    id: event.id,
    stream,
    version,
    type: event.type.type,
    time: event.time ?? new Date(),
    subject: event.subject,
    actor: event.actor,
    // A projection must not receive values that JSON does not keep (undefined, dates), since they would be missing in a rebuild.
    data: JSON.parse(JSON.stringify(event.data)) as unknown,
    correlationId: event.correlationId,
    causationId: event.causationId,
    traceparent: event.traceparent,
    tenant: event.tenant,
  }
}

/** The event of the log, as `toStoredEvent` reads it from its row. */
export function toCommittedEvent(event: PlacedEvent, position: bigint): StoredEvent {
  const { namespace, kind, name, namespaceUid, uid } = event.subject
  const subject = {
    namespace,
    kind,
    name,
    ...(namespaceUid !== undefined && { namespaceUid }),
    ...(uid !== undefined && { uid }),
  }
  const actor = event.actor && { name: event.actor.name, kind: event.actor.kind }
  return { ...event, position, subject, actor }
}

/** Row of an event, without its position. */
export function toEventRow(event: PlacedEvent): Readonly<Record<string, unknown>> {
  return {
    id: event.id,
    stream: event.stream,
    version: event.version,
    type: event.type,
    time: event.time.toISOString(),
    namespace: event.subject.namespace,
    kind: event.subject.kind,
    name: event.subject.name,
    namespace_uid: event.subject.namespaceUid,
    uid: event.subject.uid,
    actor_name: event.actor?.name,
    actor_kind: event.actor?.kind,
    data: event.data,
    correlation_id: event.correlationId,
    causation_id: event.causationId,
    traceparent: event.traceparent,
    tenant: event.tenant,
  }
}

function toSubject(row: Selectable<EventsTable>): Subject {
  return {
    namespace: row.namespace ?? undefined,
    kind: row.kind,
    name: row.name,
    ...(row.namespace_uid === null ? {} : { namespaceUid: row.namespace_uid }),
    ...(row.uid === null ? {} : { uid: row.uid }),
  }
}

function toActor(row: Selectable<EventsTable>): Actor | undefined {
  if (row.actor_name === null) return undefined
  return { name: row.actor_name, kind: row.actor_kind as Actor['kind'] }
}
