import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'

/** The result of a reconciliation: nothing more to do, or look again after a while. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number
}

/** Drives one object towards its spec; called once at a time per object, again with back-off when it throws. */
export interface Reconciler {
  readonly name: string
  readonly resource: Resource
  /** Other kinds whose changes reconcile their controlling owner. */
  readonly owns?: readonly Resource[]
  /** Kinds whose changes concern objects of this one: maps a change to the objects to look at. */
  readonly watches?: readonly {
    readonly resource: Resource
    /** Only objects with these labels. */
    readonly labelSelector?: string
    readonly toRefs: (object: KubeObject, cluster: KubeClient) => Promise<readonly ObjectRef[]>
  }[]
  /** What of its object it works from: a change that leaves this as it was does not call it. Absent: every change does. */
  readonly concern?: (object: KubeObject) => unknown
  reconcile(ref: ObjectRef, object: KubeObject | undefined): Promise<ReconcileResult>
}

/** Watches a kind on behalf of the manager; every change becomes one event (A4). */
export interface Informer {
  readonly resource: Resource
  /** The kind's name in audit rows and events. */
  readonly resourceKind: string
  /** Fields of the spec whose changes its events show, dotted. */
  readonly audited?: readonly string[]
}
