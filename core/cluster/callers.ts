import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool, TlsOptions } from '#core/kube/connection-pool.ts'
import { isStatus } from '#core/kube/status.ts'
import { askAccess, forbidden, readRules } from './access-review.ts'
import type { Caller, UserInfo } from './caller.ts'
import { servedCluster } from './served-cluster.ts'
import { everyNamespace, notServed } from './served-namespaces.ts'
import type { ServedNamespaces } from './served-namespaces.ts'
import { createTokenCache } from './token-cache.ts'
import { hasExpired } from './token-claims.ts'

/** Creates callers from bearers: the only access of requests to the cluster (K1). */
export interface Callers {
  /** Throws `Fail('unauthenticated')` if the cluster rejects the bearer. */
  as(bearer: string): Promise<Caller>
  /** Whether the bearer was accepted within the last ten minutes, its rejection is cached, or it has expired. Not a proof. */
  knows(bearer: string): boolean
}

// Only the username is cached, for this time (D1); every permission is reviewed again.
const USERNAME_TTL_MS = 5_000

/** Cluster of the callers. All share one `pool`; `now` is a monotonic clock in milliseconds. */
export interface CallersOptions extends TlsOptions {
  readonly server: string
  readonly pool?: KubePool
  /** Default: every namespace. */
  readonly served?: ServedNamespaces
  readonly now?: () => number
  /** Unix milliseconds; default: the clock. */
  readonly date?: () => number
}

/** Creates callers on one connection pool. */
export function createCallers(options: CallersOptions): Callers {
  const pool = options.pool ?? createPool(options.server, options)
  const { date = Date.now } = options
  const usernames = createTokenCache<string>({
    ttlMs: USERNAME_TTL_MS,
    now: options.now ?? (() => performance.now()),
    isRejection: (error) => error instanceof Fail && error.code === 'unauthenticated',
  })
  return {
    knows: (bearer) => usernames.isKnown(bearer, '') || hasExpired(bearer, date()),
    as: async (bearer) => {
      // Nothing else is judged here: another authenticator of the cluster may accept any other token.
      if (hasExpired(bearer, date())) throw new Fail('unauthenticated')
      const cluster = createKubeClient({ server: options.server, pool, bearer })
      const username = await usernames(bearer, '', async () => (await whoami(cluster)).username)
      return toCaller({ cluster, username, bearer }, options.served ?? everyNamespace)
    },
  }
}

function toCaller(identity: Pick<Caller, 'cluster' | 'username' | 'bearer'>, served: ServedNamespaces): Caller {
  const { cluster, username } = identity
  return {
    ...identity,
    cluster: servedCluster(cluster, served),
    whoami: () => whoami(cluster),
    rulesIn: async (namespace, signal) =>
      served.has(namespace) ? readRules(cluster, namespace, signal) : { complete: true, rules: [] },
    may: async (verb, resource, where) =>
      served.has(where.namespace) ? askAccess(cluster, username, { ...where, verb, resource }) : undefined,
    review: async (verb, resource, where) => {
      if (!served.has(where.namespace)) throw notServed(where.namespace)
      const question = { ...where, verb, resource }
      const access = await askAccess(cluster, username, question)
      if (access === undefined) throw forbidden(username, question)
      return access
    },
  }
}

const DENIED_WHOAMI =
  'The API server does not return the identity of the caller: it has just started, or the caller lacks the right to create selfsubjectreviews.'

interface SelfSubjectReview {
  readonly status?: {
    readonly userInfo?: {
      readonly username?: string
      readonly uid?: string
      readonly groups?: readonly string[]
      readonly extra?: Readonly<Record<string, readonly string[]>>
    }
  }
}

async function whoami(cluster: KubeClient): Promise<UserInfo> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const answer = await cluster
    .review<SelfSubjectReview>('/apis/authentication.k8s.io/v1/selfsubjectreviews', body)
    .catch((error: unknown) => {
      if (isStatus(error, 401)) throw new Fail('unauthenticated')
      // Every authenticated user has this permission by default, and an API server that has just started denies it for a moment. No part of
      // the request was attempted, so this is not a denial of it (A2).
      if (isStatus(error, 403)) throw new Fail('review_unavailable', DENIED_WHOAMI)
      throw error
    })
  const user = answer.status?.userInfo
  // There is no default user: a review without a user is a failure, not an anonymous identity.
  if (user?.username === undefined || user.username === '' || user.username === 'system:anonymous')
    throw new Fail('unauthenticated')
  return { username: user.username, uid: user.uid ?? '', groups: user.groups ?? [], extra: user.extra ?? {} }
}
