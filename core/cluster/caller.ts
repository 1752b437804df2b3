import type { KubeClient } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'

declare const proof: unique symbol

/**
 * Proof that the cluster allowed this caller `verb` on the virtual `resource` of our group in `namespace`. Only the access review creates
 * proofs. Store reads require one and filter by *its* namespace (A9); '' is cluster-wide.
 */
export interface Access<Verb extends string = string, Res extends string = string> {
  readonly [proof]: true
  readonly verb: Verb
  readonly resource: Res
  readonly namespace: DnsLabel | ''
  /** API group of the resource; undefined for ours. */
  readonly group?: string | undefined
  /** The one object that was reviewed; undefined for every object of the namespace. */
  readonly name?: string | undefined
  readonly username: string
}

/**
 * Proofs of one right, for reads of several namespaces: of each namespace that passed its review, or of the whole cluster alone. Without a
 * proof, nothing is read.
 */
export type AccessScope<Verb extends string = string, Res extends string = string> = readonly Access<Verb, Res>[]

/** User or service account of a bearer, as named by the cluster; never decoded from the token. */
export interface Caller {
  readonly username: string
  /** Client with the caller's bearer: the only access of request handlers to the cluster (K1). */
  readonly cluster: KubeClient
  /** The caller's own bearer, passed to the gateway by generate and refine; never stored or logged. */
  readonly bearer: string
  whoami(): Promise<UserInfo>
  /** Reviews access. Throws `KubeError` 403 in the cluster's wording, or 503 without a decision (K3). */
  review<V extends string, R extends string>(verb: V, resource: R, where: ReviewTarget): Promise<Access<V, R>>
  /** Like `review`, but returns undefined instead of throwing the 403. */
  may<V extends string, R extends string>(verb: V, resource: R, where: ReviewTarget): Promise<Access<V, R> | undefined>
  /** Rules in a namespace by one SelfSubjectRulesReview, for showing and hiding controls only: the cluster decides on each request. */
  rulesIn(namespace: DnsLabel, signal: AbortSignal): Promise<CallerRules>
}

/** A rule of a caller in a namespace. */
export interface CallerRule {
  readonly verbs: readonly string[]
  readonly groups: readonly string[]
  readonly resources: readonly string[]
  /** Absent for every object. */
  readonly names?: readonly string[]
}

/** Rules of a caller in a namespace, at most 1,000. */
export interface CallerRules {
  /** False if an authorizer of the cluster cannot list its rules, or if there are too many: further things may be allowed. */
  readonly complete: boolean
  readonly rules: readonly CallerRule[]
}

/** Target of a review. `resource` may include a group and a subresource: `agentdeployments/invoke`, `widgets.acme.example`. */
export interface ReviewTarget {
  readonly namespace: DnsLabel | ''
  readonly name?: string
  /** Default: that of the resource, or ours. */
  readonly group?: string
}

/** Kubernetes UserInfo (authentication.k8s.io/v1 SelfSubjectReview). */
export interface UserInfo {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}
