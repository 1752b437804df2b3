import type { KubeClient } from '#core/kube/client.ts'
import type { Caller, UserInfo } from '#core/cluster/access.ts'
import type { Directory, Observed } from '#core/cluster/directory.ts'
import type { Role } from './core.ts'
import type { Informer } from './work.ts'
import type { AnyEndpoint } from '#core/http/endpoint.ts'

/** The BFF's extras: what the capabilities route and paging need. No identity of its own. */
export interface BffContext {
  readonly role: 'bff'
  readonly directory: Directory
  readonly observed: Observed
  /** Every mounted endpoint with its plugin and wiring, for capabilities and OpenAPI. */
  readonly catalog: () => readonly MountedEndpoint[]
}

/** An endpoint as mounted. */
export interface MountedEndpoint {
  readonly plugin: string
  readonly wiring: 'ready' | 'unwired' | 'hidden'
  /** Why it is not ready: switched off, or something it needs is not configured. */
  readonly reason?: 'disabled' | 'unconfigured'
  /** `/api`, or `/api/x/<name>` for a third party. */
  readonly prefix: string
  readonly endpoint: AnyEndpoint
}

/** A bearer that TokenReview accepted, for the audience of the role. */
export interface Authenticated extends UserInfo {
  readonly audience: string
}

/** Roles with an identity of their own get the cluster as themselves and authenticate bearers by TokenReview (cached at most 60 s). */
export interface OwnIdentity {
  readonly cluster: KubeClient
  authenticate(bearer: string, audience: string): Promise<Authenticated | undefined>
  /** Whether the bearer was accepted in the last ten minutes, or its rejection is cached. Never a proof. */
  knows(bearer: string, audience: string): boolean
  /** SubjectAccessReview for somebody else; false when not allowed, throws when the cluster cannot say. */
  subjectMay(user: UserInfo, attributes: SubjectAttributes): Promise<boolean>
}

/** What a SubjectAccessReview asks, in our group by default. */
export interface SubjectAttributes {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name?: string
}

/** The gateway on port 4000: a person's bearer is reviewed as the caller, a pod's by TokenReview. */
export interface GatewayContext extends OwnIdentity {
  readonly role: 'gateway'
  readonly observed: Observed
  /** Undefined without a store. */
  readonly directory: Directory | undefined
  callerOf(bearer: string): Promise<Caller>
}

/** The state role on port 3002. */
export interface StateContext extends OwnIdentity {
  readonly role: 'state'
  readonly observed: Observed
}

/** One launcher of an agent: a pod's, or a process of this machine. */
export interface AgentLauncher {
  /** Uid of the pod: what another pod at the same address does not have. */
  readonly id: string
  /** Base URL (8080). */
  readonly url: string
  /** Whether it takes new runs; one that ends may still have some. */
  readonly ready: boolean
}

/** The worker reaches agents over the network; of the cluster it knows where their pods are, and nothing else. */
export interface WorkerContext {
  readonly role: Extract<Role, 'worker' | 'manager'>
  readonly observed: Observed
  /** Every launcher of an agent that there is; none while it has no address. Rejects when that cannot be known now. */
  agentLaunchers(agent: {
    readonly namespace: string
    readonly name: string
    readonly uid: string
  }): Promise<readonly AgentLauncher[]>
}

/** The manager acts with its own service account. */
export interface ManagerContext {
  readonly role: 'manager'
  readonly cluster: KubeClient
  readonly observed: Observed
}

/** The manager's listener. */
export interface ManagerListening {
  readonly role: 'manager'
  /** Every kind that this manager follows, of all plugins. */
  readonly informers: () => readonly Informer[]
  /** Whether this installation serves a namespace. */
  readonly serves: (namespace: string) => boolean
}
