import type { Access, AccessScope } from '#core/cluster/caller.ts'
import type { LauncherCall } from '#core/cluster/calling-agent.ts'

/**
 * Source of the namespace to review; `field` may be dotted (`agent.namespace`). A namespace in the body is reviewed after the body is
 * validated. An absent or empty value means `default`, or a 400 without `absent`.
 */
export type NamespaceFrom =
  | { readonly in: 'path' | 'query' | 'body'; readonly field: string; readonly absent?: 'default' }
  | { readonly in: 'cluster' }
  | ScopeFrom

/**
 * A list or a sum: `?namespace=`, without it the whole cluster, or with `?scope=permitted` what the caller may read. The handler receives
 * the proofs as an `AccessScope`. A caller without any namespace reads nothing, or with `none: 'denied'` is refused.
 */
export interface ScopeFrom {
  readonly in: 'scope'
  readonly none: 'empty' | 'denied'
}

/** A SelfSubjectAccessReview of a resource, made before the handler, which receives its `Access`. */
export interface ReviewAuthz {
  readonly kind: 'review'
  readonly verb: string
  readonly resource: string
  /** API group of the resource; default: that of `resource` (`widgets.acme.example`), or ours. */
  readonly group?: string
  readonly namespace: NamespaceFrom
  /** Field with the object's name (`agent.name`), in the same part of the request as the namespace or, if that has none, in the path. */
  readonly name?: string
}

/** The namespace is that of a stored row: see {@link Authz}. */
export interface RowAuthz {
  readonly kind: 'row'
  readonly verb: string
  readonly resource: string
}

/** A token that belongs to no account of the cluster; the plugin verifies it. */
export interface TokenAuthz {
  readonly kind: 'token'
  /** Owner of the token, for documents and errors: `the audit webhook`. */
  readonly of: string
  /** Header with the token, in lowercase; default: the bearer of `Authorization`. */
  readonly header?: string
  /**
   * Verifies the token before the path, the query and the body are read. The result is the handler's `access`; undefined and false are a
   * 401.
   */
  verify(token: string): unknown
}

/** Several checks, each of which is made; the handler's `access` is the tuple of their proofs. Members are `review`, `kube`, `row` or `bearer`. */
export interface AllAuthz {
  readonly kind: 'all'
  readonly of: readonly [Authz, Authz, ...Authz[]]
}

/**
 * Authorization of a route, required at startup.
 * `kube`: the upstream call is the check; the fields document it, also for the authorization matrix.
 * `review`: see {@link ReviewAuthz}.
 * `row`: the namespace is that of a stored row. The handler reviews with `caller.review` (404 for a caller without access), or the
 * endpoint's own `review` does so before it.
 * `all`: see {@link AllAuthz}.
 * `token`: see {@link TokenAuthz}.
 * `agent`: the launcher of an agent, at the state role only. The handler's `access` is a `LauncherCall`; 401 for a bearer that the cluster does
 * not accept for this role, 403 for an account that belongs to no agent.
 * `public`: a GET without a bearer, for data that the token of a share in its path shows, or that anyone may read, such as public keys.
 */
export type Authz =
  | { readonly kind: 'kube'; readonly verb: string; readonly resource: string }
  | ReviewAuthz
  | RowAuthz
  | { readonly kind: 'bearer' }
  | { readonly kind: 'owner' }
  | { readonly kind: 'agent' }
  | AllAuthz
  | TokenAuthz
  | { readonly kind: 'public'; readonly shownBy: 'shareToken' | 'anyone' }

/**
 * Type of the handler's `access`: the proof of a review, or what `verify` of a token returned. Undefined without a review. A `row` route
 * has a proof only if it declares a `review`.
 */
export type AccessOf<A extends Authz> = A extends ReviewAuthz | RowAuthz
  ? ReviewProof<A>
  : A extends TokenAuthz
    ? Exclude<Awaited<ReturnType<A['verify']>>, undefined | false>
    : A extends AllAuthz
      ? Proofs<A['of']>
      : A extends { readonly kind: 'agent' }
        ? LauncherCall
        : undefined

type ReviewProof<A extends ReviewAuthz | RowAuthz> = A extends { readonly namespace: ScopeFrom }
  ? AccessScope<A['verb'], A['resource']>
  : Access<A['verb'], A['resource']>

type Proofs<Of extends readonly Authz[]> = { readonly [Index in keyof Of]: ProofOf<Of[Index]> }

// The review of a row is made by the handler.
type ProofOf<Member> = Member extends ReviewAuthz ? ReviewProof<Member> : undefined

/** The single checks of an endpoint. */
export function checksOf(authz: Authz): readonly Authz[] {
  return authz.kind === 'all' ? authz.of : [authz]
}

/** Reviews of an endpoint that are made before its handler. */
export function reviewsOf(authz: Authz): readonly ReviewAuthz[] {
  return checksOf(authz).filter((one) => one.kind === 'review')
}

/** Whether a review needs the body, which is then validated first. */
export function reviewsBody(authz: Authz): boolean {
  return reviewsOf(authz).some(({ namespace }) => namespace.in === 'body')
}

/** Whether a route is served without a bearer of the cluster. */
export function isOpen({ kind }: Authz): boolean {
  return kind === 'public' || kind === 'token'
}
