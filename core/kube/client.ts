import type { DeclaredRules } from '#schemas/kinds/declared-rules.ts'
import type { ObjectMeta } from '#schemas/kinds/object.ts'
import type { DnsLabel, DnsName } from './names.ts'

// Declared once, beside the kinds, and re-exported for users of the client.
export type { ManagedFields, ObjectMeta, OwnerReference } from '#schemas/kinds/object.ts'

/** REST coordinates of a kind. `Kind` values of `schemas/crds` satisfy it. */
export interface Resource {
  readonly group: string // '' is the core group
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  /** For a declared kind: a refusal shows the messages of these rules, and no other text that could contain submitted values. */
  readonly declared?: DeclaredRules
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

/** Namespace and name of an object. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectRef {
  readonly namespace?: DnsLabel
  readonly name: DnsName
}

/** Options of every call. The default deadline is 10 s (K4). `signal` aborts the upstream call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly deadlineMs?: number
}

/** Options of a get. */
export interface GetOptions extends CallOptions {
  /** Requests `PartialObjectMetadata`: a reader of labels does not need the data of a Secret. */
  readonly metadataOnly?: boolean
}

/** Options of a list. `limit` and `continue` page; without `namespace` the list covers the cluster. */
export interface ListOptions extends CallOptions {
  readonly namespace?: DnsLabel
  readonly limit?: number
  readonly continue?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  /** For lists: the state at exactly `resourceVersion`; 410 if it has expired. */
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
  /** Grace period of a pod in seconds; 0 deletes it immediately. */
  readonly graceSeconds?: number
}

/**
 * Result of a delete. `object` is set while finalizers hold the object, or if the kind's deletes return it; `uid` identifies what was
 * deleted.
 */
export interface Deletion<O> {
  readonly uid: string | undefined
  readonly object: O | undefined
}

/** One event of a watch. After `expired` (410 by status or inside the stream, M10) the caller relists. */
export type WatchEvent<O> =
  /** `bytes`: size of the frame, for consumers with back-pressure. */
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: O; readonly bytes: number }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  | { readonly type: 'expired' }

/**
 * A thin client: one bearer on a shared connection pool. It throws `KubeError` (`status.ts`) with the API server's Status, a 504 after the
 * deadline, or a 503 if unreachable.
 */
export interface KubeClient {
  get<O extends KubeObject>(resource: Resource, ref: ObjectRef, options?: GetOptions): Promise<O>
  list<O extends KubeObject>(resource: Resource, options?: ListOptions): Promise<ObjectList<O>>
  /** Returns the bytes of a list as received, for pages that are passed through. */
  listRaw(resource: Resource, options?: ListOptions): Promise<readonly Buffer[]>
  create<O extends KubeObject>(resource: Resource, object: O, options?: WriteOptions): Promise<O>
  replace<O extends KubeObject>(resource: Resource, object: O, options?: WriteOptions): Promise<O>
  patch<O extends KubeObject>(resource: Resource, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<O>
  delete<O extends KubeObject>(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<Deletion<O>>
  watch<O extends KubeObject>(
    resource: Resource,
    options: ListOptions & { readonly timeoutSeconds?: number },
  ): AsyncIterable<WatchEvent<O>>
  /** Streams a pod's log. */
  podLogs(ref: ObjectRef, options: PodLogOptions): Promise<AsyncIterable<Buffer>>
  /** Creates an unnamed review or token request (`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`). */
  review<Answer>(path: ReviewPath, body: unknown, options?: CallOptions): Promise<Answer>
}

/** Review endpoints. The paths are constants, so nothing is built from input. */
export type ReviewPath =
  | '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  | '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
  | '/apis/authorization.k8s.io/v1/subjectaccessreviews'
  | '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  | '/apis/authentication.k8s.io/v1/tokenreviews'

/** Query parameters of a pod's log (Kubernetes API reference, read log of the specified Pod). */
export interface PodLogOptions extends CallOptions {
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly timestamps?: boolean
}
