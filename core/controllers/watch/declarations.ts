import type { EventType, StoredEvent } from '#core/event-store/event.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import type { ObjectStores } from './object-stores.ts'

/** Result of a reconciliation: done, or requeue after a delay. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number
  /**
   * Something that the object needs is missing or refused. It is reconciled again after this delay, doubled each time up to 15 minutes, or
   * earlier when a watch reports a change.
   */
  readonly retryAfterMs?: number
}

/** `deleted`: the object in its last known state. A deletion that no watch has seen is not reported. */
export type WatchedChange = 'present' | 'deleted'

/** A further kind that a reconciler watches. */
export interface KindWatch {
  readonly resource: Resource
  readonly events?: undefined
  /** Restricts the reconciler to objects with these labels. */
  readonly labelSelector?: string
  readonly toRefs: (object: KubeObject, cluster: KubeClient, change: WatchedChange) => Promise<readonly ObjectRef[]>
}

/**
 * Event types that wake a reconciler. Each manager follows the log from its start on, without a cursor: the reconciler decides by what it reads, and an
 * event only says when. Without a store nothing is followed.
 */
export interface EventWatch {
  readonly events: readonly EventType[]
  readonly resource?: undefined
  readonly toRefs: (event: StoredEvent, cluster: KubeClient) => Promise<readonly ObjectRef[]>
}

/** Reconciles one object with its spec. Called once at a time per object, and again with back-off after an error. */
export interface Reconciler {
  readonly name: string
  readonly resource: Resource
  /** Kinds that the reconciler reads from memory. It reconciles nothing before they are listed. */
  readonly stores?: ObjectStores
  /** Other kinds whose changes reconcile their controlling owner. */
  readonly owns?: readonly Resource[]
  /** Kinds and event types whose changes concern objects of this one: each maps a change to the objects to reconcile. */
  readonly watches?: readonly (KindWatch | EventWatch)[]
  /** The part of an object that the reconciler uses; a change that leaves it equal causes no call. Default: every change does. */
  readonly concern?: (object: KubeObject) => unknown
  reconcile(ref: ObjectRef, object: KubeObject | undefined): Promise<ReconcileResult>
}

/** Watches a kind for the manager. Every change becomes one event (A4). */
export interface Informer {
  readonly resource: Resource
  /** Name of the kind in audit rows and events. */
  readonly resourceKind: string
  /** Dotted paths of spec fields whose changes are included in events. */
  readonly audited?: readonly string[]
  /** Spec fields that the object index stores for the workers of the plugin. */
  readonly indexed?: readonly string[]
}
