import type { KubeClient } from '#core/kube/client.ts'
import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { Informer } from '#core/controllers/watch/declarations.ts'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { ReportedPage } from './console-page.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { IndexedObjects } from '#core/object-reads/indexed-objects.ts'
import type { RoleModels } from '#core/role-models/role-models.ts'
import type { RoleEmbeddings } from '#core/retrieval/embeddings.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { SystemReads } from './system-reads.ts'

/** Additional services of the BFF, for the capabilities route and paging. It has no identity of its own. */
export interface BffContext {
  readonly role: 'bff'
  readonly directory: Directory
  /** Every mounted endpoint with plugin and availability, for capabilities and OpenAPI. */
  readonly catalog: () => readonly MountedEndpoint[]
  /** Console pages of every plugin that is not hidden. */
  readonly pages: () => readonly ReportedPage[]
  /** Undefined without `OBJECT_STORE_ADDR`, except in `all`. */
  readonly objects: ObjectStore | undefined
}

/** The gateway on port 4000 reviews a user's bearer as the caller, and a pod's by TokenReview. */
export interface GatewayContext extends OwnIdentity {
  readonly role: 'gateway'
  /** Undefined without a store. */
  readonly directory: Directory | undefined
  callerOf(bearer: string): Promise<Caller>
}

/** The state role on port 3002. */
export interface StateContext extends OwnIdentity, SystemReads {
  readonly role: 'state'
  /** Undefined in a state role with its own process and without `REDIS_URL`. */
  readonly stateStore: StateStore | undefined
  /** Undefined without `OBJECT_STORE_ADDR`, except in `all`. */
  readonly objects: ObjectStore | undefined
  /** Embeddings with the identity of the role. It may use every route, so the plugin checks which callers may name one. */
  readonly embeddings: RoleEmbeddings
  /** Addresses of agents as their pods reach them: the Service, or the processes of the local workload runner. */
  readonly endpoints: ServiceEndpoints
}

/** Context of consumers. A consumer declares its role itself: the worker, or the manager. */
export interface ConsumerContext extends SystemReads {
  readonly endpoints: ServiceEndpoints
  /** The objects of the plugin's own kinds, as the manager has observed them. */
  readonly indexed: IndexedObjects
}

/** The worker reaches agents and the gateway over the network. At the cluster, it reads only the endpoints of Services, and agents for those of their candidates. */
export interface WorkerContext extends ConsumerContext {
  readonly role: 'worker'
  /** Same as in the state role; without an identity every call throws `EmbeddingsUnavailable`. */
  readonly embeddings: RoleEmbeddings
  /** Model calls with the identity of the role, each for a payer; without an identity every call throws `ModelCallFailed`. */
  readonly models: RoleModels
  /** Undefined without `OBJECT_STORE_ADDR`, except in `all`. */
  readonly objects: ObjectStore | undefined
}

/** The manager uses its own service account. */
export interface ManagerContext extends SystemReads {
  readonly role: 'manager'
  readonly cluster: KubeClient
  /** SubjectAccessReview for another user, as in gateway and state role. */
  readonly subjectMay: OwnIdentity['subjectMay']
}

/** Context of jobs. */
export type JobContext = WorkerContext | ManagerContext | StateContext

/** The manager's listener. */
export interface ManagerListener {
  readonly role: 'manager'
  /** Every kind that this manager watches, of all plugins. */
  readonly informers: () => readonly Informer[]
  /** Whether this installation serves a namespace. */
  readonly serves: (namespace: string) => boolean
}
