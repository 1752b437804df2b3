import type { ObjectMeta } from '#schemas/object.ts'
import type { DnsLabel, DnsName } from './names.ts'

// Described once, beside the kinds; whoever works with the client's objects finds it here.
export type { ManagedFields, ObjectMeta, OwnerReference } from '#schemas/object.ts'

/** What the client needs to know of a kind: its REST coordinates. `Kind` values of `schemas/crds` satisfy it. */
export interface Resource {
  readonly group: string // '' is the core group
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Any Kubernetes object as JSON. */
export interface KubeObject<Spec = unknown, Status = unknown> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly spec?: Spec
  readonly status?: Status
  readonly [field: string]: unknown
}

/** Where an object lives. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: DnsLabel
  readonly name: DnsName
}

/** Common to every call. The default deadline is 10 s (K4); `signal` aborts the upstream call with the caller. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
}

/** Options of a get. */
export interface GetOptions extends CallOptions {
  /** Asks for `PartialObjectMetadata`: a reader of labels need not receive the data of a Secret. */
  readonly metadataOnly?: boolean
}

/** Options of a list; `limit` and `continue` page, an absent `namespace` lists the cluster. */
export interface ListOptions extends CallOptions {
  readonly namespace?: DnsLabel
  readonly limit?: number
  readonly continue?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  /** Of lists: the state at exactly `resourceVersion`; 410 when that is forgotten. */
  readonly resourceVersionMatch?: 'Exact'
}

/** One page of a list. */
export interface ObjectList<O> {
  readonly items: readonly O[]
  readonly resourceVersion: string
  readonly continue: string | undefined
}

/** Options of a write. Every write is sent with `fieldValidation=Strict`. */
export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly subresource?: 'status' | 'scale' | 'token'
  readonly fieldManager?: string
}

/** A patch and its media type. */
export type Patch =
  | { readonly type: 'merge'; readonly body: unknown }
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'apply'; readonly body: unknown; readonly force?: boolean }

/** Options of a delete (Kubernetes DeleteOptions). */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  /** Seconds that a pod gets to end; 0 removes it at once. */
  readonly graceSeconds?: number
}

/** What a delete answered: `object` when finalizers hold it (or the kind's deletes answer with it); `uid` names what was deleted. */
export interface Deletion<O> {
  readonly uid: string | undefined
  readonly object: O | undefined
}

/** One frame of a watch. After `expired` (410 by status or inside the stream, M10) the caller lists again. */
export type WatchEvent<O> =
  /** `bytes`: the size of the frame, for whoever holds frames back. */
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: O; readonly bytes: number }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | { readonly type: 'expired' }

/**
 * The thin client: one bearer, one shared connection pool. Failures are `KubeError` (`status.ts`):
 * the API server's own Status, or a deadline (504), or unreachable (503).
 */
export interface KubeClient {
  get<O extends KubeObject>(resource: Resource, ref: ObjectRef, options?: GetOptions): Promise<O>
  list<O extends KubeObject>(resource: Resource, options?: ListOptions): Promise<ObjectList<O>>
  /** The list's bytes as the API server sent them, in the pieces they came in, for pages that pass through. */
  listRaw(resource: Resource, options?: ListOptions): Promise<readonly Buffer[]>
  create<O extends KubeObject>(resource: Resource, object: O, options?: WriteOptions): Promise<O>
  replace<O extends KubeObject>(resource: Resource, object: O, options?: WriteOptions): Promise<O>
  patch<O extends KubeObject>(resource: Resource, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<O>
  delete<O extends KubeObject>(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<Deletion<O>>
  watch<O extends KubeObject>(
    resource: Resource,
    options: ListOptions & { readonly timeoutSeconds?: number },
  ): AsyncIterable<WatchEvent<O>>
  /** A pod's log as a byte stream. */
  podLogs(ref: ObjectRef, options: PodLogOptions): Promise<AsyncIterable<Buffer>>
  /** Creates a review or token request that has no name (`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`). */
  review<Answer>(path: ReviewPath, body: unknown, options?: CallOptions): Promise<Answer>
}

/** The review endpoints; fixed paths, so nothing is built from input. */
export type ReviewPath =
  | '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  | '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  | '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  | '/apis/authentication.k8s.io/v1/tokenreviews'

/** Query of a pod's log (Kubernetes API reference, read log of the specified Pod). */
export interface PodLogOptions extends CallOptions {
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly timestamps?: boolean
}
