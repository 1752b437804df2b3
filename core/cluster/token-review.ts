import { GROUP } from '#schemas/names/group.ts'
import type { KubeClient } from '#core/kube/client.ts'
import type { UserInfo } from './caller.ts'
import { isAllowed, reviewFailure } from './access-review.ts'
import type { ReviewResponse } from './access-review.ts'
import { servedCluster } from './served-cluster.ts'
import { everyNamespace } from './served-namespaces.ts'
import type { ServedNamespaces } from './served-namespaces.ts'
import { createTokenCache } from './token-cache.ts'
import { hasExpired, isForOthers } from './token-claims.ts'

/** A bearer accepted by TokenReview for the audience of the role. */
export interface AuthenticatedBearer extends UserInfo {
  readonly audience: string
}

/**
 * For roles with their own identity: a client with that identity, and authentication of bearers by TokenReview (cached at most 60 s).
 */
export interface OwnIdentity {
  readonly cluster: KubeClient
  authenticate(bearer: string, audience: string): Promise<AuthenticatedBearer | undefined>
  /** Whether the bearer was accepted within the last ten minutes, or its rejection is cached. Not a proof. */
  knows(bearer: string, audience: string): boolean
  /** Whether the claims of the bearer exclude it, so that the cluster is not asked: it has expired, or is for other audiences. */
  excludes(bearer: string, audience: string): boolean
  /** SubjectAccessReview for another user. Returns false if denied, throws if the cluster does not respond. */
  subjectMay(user: UserInfo, attributes: SubjectAttributes): Promise<boolean>
}

/** Attributes of a SubjectAccessReview, by default in our group. */
export interface SubjectAttributes {
  readonly verb: string
  readonly resource: string
  readonly namespace: string
  readonly name?: string
  readonly group?: string
}

// Only the authentication is cached, for this time (D1); permissions are reviewed each time.
const AUTHENTICATION_TTL_MS = 60_000

/** Client of the role, and the namespaces that it is limited to; default: all. */
export interface OwnIdentityOptions {
  readonly cluster: KubeClient
  readonly served?: ServedNamespaces
  readonly now?: () => number
  /** Unix milliseconds; default: the clock. */
  readonly date?: () => number
}

/**
 * Creates the operations of gateway and state besides calls as the caller: authentication of a bearer for an audience, and reviews of other
 * users. `now` is monotonic.
 */
export function createOwnIdentity(options: OwnIdentityOptions): OwnIdentity {
  const { cluster, served = everyNamespace, date = Date.now } = options
  const excludes = (bearer: string, audience: string): boolean =>
    hasExpired(bearer, date()) || isForOthers(bearer, audience)
  const known = createTokenCache<AuthenticatedBearer>({
    ttlMs: AUTHENTICATION_TTL_MS,
    now: options.now ?? (() => performance.now()),
    isRejection: (error) => error instanceof NotAuthenticated,
  })
  return {
    cluster: servedCluster(cluster, served),
    knows: (bearer, audience) => known.isKnown(bearer, audience),
    excludes,
    authenticate: async (bearer, audience) => {
      if (excludes(bearer, audience)) return undefined
      return known(bearer, audience, () => reviewToken(cluster, bearer, audience)).catch((error: unknown) => {
        if (error instanceof NotAuthenticated) return undefined
        throw error
      })
    },
    subjectMay: async (user, attributes) =>
      served.has(attributes.namespace) && reviewSubject(cluster, user, attributes),
  }
}

/** Thrown so that the cache keeps a rejection only briefly: a token may become valid. */
class NotAuthenticated extends Error {}

interface TokenReviewAnswer {
  readonly status?: {
    readonly authenticated?: boolean
    readonly user?: Partial<UserInfo>
    readonly audiences?: readonly string[]
  }
}

async function reviewToken(cluster: KubeClient, bearer: string, audience: string): Promise<AuthenticatedBearer> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: bearer, audiences: [audience] },
  }
  const { status } = await cluster.review<TokenReviewAnswer>('/apis/authentication.k8s.io/v1/tokenreviews', body)
  const user = status?.user
  // An API server without audience support omits them; such a token was not issued for this role.
  if (status?.authenticated !== true || user?.username === undefined || !(status.audiences ?? []).includes(audience))
    throw new NotAuthenticated()
  return { username: user.username, uid: user.uid ?? '', groups: user.groups ?? [], extra: user.extra ?? {}, audience }
}

async function reviewSubject(cluster: KubeClient, user: UserInfo, attributes: SubjectAttributes): Promise<boolean> {
  const [resource, subresource] = attributes.resource.split('/')
  const resourceAttributes = {
    verb: attributes.verb,
    group: attributes.group ?? GROUP,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(attributes.namespace === '' ? {} : { namespace: attributes.namespace }),
    ...(attributes.name === undefined ? {} : { name: attributes.name }),
  }
  const spec = { user: user.username, uid: user.uid, groups: user.groups, extra: user.extra, resourceAttributes }
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
  const answer = await cluster
    .review<ReviewResponse>('/apis/authorization.k8s.io/v1/subjectaccessreviews', body)
    .catch((error: unknown) => {
      throw reviewFailure(error)
    })
  return isAllowed(answer.status)
}
