import type { Static, TSchema } from 'typebox'

/** What the audit consumer derives a row from (interface, AuditEvent). Absent: the event is not audited. */
export interface AuditDescriptor {
  readonly action: string
  readonly resourceKind: string
  /** A field of the data that names the action where it holds one of `values`: `approve` instead of `resume`. */
  readonly actionFrom?: { readonly field: string; readonly values: readonly string[] }
  /** Fields of the data that the row's `detail` takes under their own names; each passes an allowlist of the audit plugin (A8). */
  readonly detail?: readonly string[]
}

/**
 * Right that shows events of a type in `GET /api/events`, asked in the event's namespace as the caller. `group` defaults to the
 * platform's. With the value `none` the type is for consumers of the platform only.
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
  /** Phantom: carries the data's type to `append` and `on`. */
  readonly of?: Data
}

/** Declares an event type: a past-tense fact with references and numbers, never content or secrets (section "events" of docs). */
export function defineEvent<S extends TSchema>(spec: {
  readonly plugin: string
  readonly fact: string
  readonly version?: number
  readonly summary: string
  readonly data: S
  readonly audit?: AuditDescriptor
  readonly seenBy?: SeenBy
}): EventType<Static<S>> {
  const version = spec.version ?? 1
  return {
    type: `dev.mesh.${spec.plugin}.${spec.fact}.v${version}`,
    plugin: spec.plugin,
    fact: spec.fact,
    version,
    summary: spec.summary,
    data: spec.data,
    audit: spec.audit,
    seenBy: spec.seenBy,
  }
}

/** What an event is about: `<ns>/<kind>/<name or id>` in CloudEvents' `subject`; no namespace is '_' in a NATS subject. */
export interface Subject {
  readonly namespace: string | undefined
  readonly kind: string
  readonly name: string
  readonly namespaceUid?: string
  readonly uid?: string
}

/** Who did it. */
export interface Actor {
  readonly name: string
  readonly kind: 'user' | 'controller' | 'system'
}

/** The actor of an authenticated username; the same account has the same kind in every event. */
export function accountActor(username: string): Actor {
  return { name: username, kind: username.startsWith('system:') ? 'system' : 'user' }
}

/** An event to append. `id` (default UUIDv7) is given where a deterministic key dedups (informers, A4). */
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

/** A stored event as consumers and projections read it. `position` is commit order and is not given to projections. */
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
