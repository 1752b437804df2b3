import type { KubeClient } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'

declare const proof: unique symbol

/**
 * Proof that the cluster allowed this caller `verb` on the virtual `resource` of our group in `namespace`.
 * Only the access review makes one; store reads take it and filter by *its* namespace (A9). '' is cluster-wide.
 */
export interface Access<Verb extends string = string, Res extends string = string> {
  readonly [proof]: true
  readonly verb: Verb
  readonly resource: Res
  readonly namespace: DnsLabel | ''
  readonly username: string
}

/** The person or service account behind a bearer, as the cluster names it; never decoded from the token. */
export interface Caller {
  readonly username: string
  /** The cluster as this caller: the only way a request path reaches it (K1). */
  readonly cluster: KubeClient
  /** The caller's own bearer; passed on to the gateway by generate and refine, never stored or logged. */
  readonly bearer: string
  whoami(): Promise<UserInfo>
  /** Asks the cluster; throws `KubeError` 403 in the cluster's wording, 503 when it cannot say (K3). */
  review<V extends string, R extends string>(verb: V, resource: R, where: ReviewTarget): Promise<Access<V, R>>
  /** As `review`, but undefined instead of the 403. */
  may<V extends string, R extends string>(verb: V, resource: R, where: ReviewTarget): Promise<Access<V, R> | undefined>
}

/** What a review is asked about. `resource` may carry a subresource: `agentdeployments/invoke`. */
export interface ReviewTarget {
  readonly namespace: DnsLabel | ''
  readonly name?: string
  /** Default: our group. */
  readonly group?: string
}

/** Kubernetes UserInfo (authentication.k8s.io/v1 SelfSubjectReview). */
export interface UserInfo {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}
