import type { Static, TSchema } from 'typebox'
import { eventName } from './event-name.ts'

/** Describes how the audit consumer derives a row from an event (interface, AuditEvent). Events without it are not audited. */
export interface AuditDescriptor {
  readonly action: string
  readonly resourceKind: string
  /** A field of the data that overrides the action if it has one of `values`: `approve` instead of `resume`. */
  readonly actionFrom?: { readonly field: string; readonly values: readonly string[] }
  /**
   * Fields of the data copied to the row's `detail`, if the audit plugin's allowlist contains them (A8). `trigger.kind` is a nested field,
   * which the row calls `trigger`.
   */
  readonly detail?: readonly string[]
}

/**
 * Permission required to see events of a type in `GET /api/events`, reviewed in the event's namespace as the caller. `group` defaults to
 * the platform's. `none` restricts the type to consumers of the platform.
 */
export type SeenBy = { readonly verb: string; readonly resource: string; readonly group?: string } | 'none'

/** A declared event type. `plugin` and `fact` give the CloudEvents type `dev.mesh.<plugin>.<fact>.v<version>`. */
export interface EventType<Data = unknown> {
  readonly type: string
  readonly plugin: string
  readonly fact: string
  readonly version: number
  readonly summary: string
  readonly data: TSchema
  readonly audit: AuditDescriptor | undefined
  /** Default: `get` on the resource of the event's subject. */
  readonly seenBy: SeenBy | undefined
  /** Phantom: passes the type of the data to `append` and `on`. */
  readonly of?: Data
}

/** Declaration of an event type. */
export interface EventSpec<S extends TSchema> {
  readonly plugin: string
  readonly fact: string
  readonly version?: number
  readonly summary: string
  readonly data: S
  readonly audit?: AuditDescriptor
  readonly seenBy?: SeenBy
}

/** Declares an event type: a fact in past tense with references and numbers, never content or secrets (section "events" of docs). */
export function defineEvent<S extends TSchema>(spec: EventSpec<S>): EventType<Static<S>> {
  return defineEventOf('dev.mesh', spec)
}

/** Declares an event type of a domain in reverse DNS form: `<domain>.<plugin>.<fact>.v<version>`. */
export function defineEventOf<S extends TSchema>(domain: string, spec: EventSpec<S>): EventType<Static<S>> {
  const { plugin, fact, version = 1, summary, data, audit, seenBy } = spec
  const type = eventName(domain, { plugin, fact, version })
  return { type, plugin, fact, version, summary, data, audit, seenBy }
}

/** Subject of an event: `<ns>/<kind>/<name or id>` in CloudEvents' `subject`; without a namespace it is '_' in a NATS subject. */
export interface Subject {
  readonly namespace: string | undefined
  readonly kind: string
  readonly name: string
  readonly namespaceUid?: string
  readonly uid?: string
}

/** Account or process that caused the event. */
export interface Actor {
  readonly name: string
  readonly kind: 'user' | 'controller' | 'system'
}

/** Actor of an authenticated username. The same account has the same kind in every event. */
export function accountActor(username: string): Actor {
  return { name: username, kind: username.startsWith('system:') ? 'system' : 'user' }
}

/** An event to append. `id` (default UUIDv7) is set where a deterministic key deduplicates (informers, A4). */
export interface NewEvent<Data = unknown> {
  readonly type: EventType<Data>
  readonly subject: Subject
  readonly data: Data
  readonly actor?: Actor
  readonly id?: string
  readonly correlationId?: string
  readonly causationId?: string
  readonly traceparent?: string
  readonly tenant?: string
  readonly time?: Date
}

/** A stored event, as consumers and projections receive it. `position` is commit order; projections do not get it. */
export interface StoredEvent<Data = unknown> {
  readonly id: string
  readonly position: bigint
  readonly stream: string
  readonly version: number
  readonly type: string
  readonly time: Date
  readonly subject: Subject
  readonly actor: Actor | undefined
  readonly data: Data
  readonly correlationId: string | undefined
  readonly causationId: string | undefined
  readonly traceparent: string | undefined
  readonly tenant: string | undefined
}
