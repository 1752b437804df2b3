import type { ClusterLocation } from '#core/cluster/cluster-config.ts'
import { createServiceEndpoints, endpointByService } from '#core/cluster/endpoint-slices.ts'
import type { ServiceEndpoints } from '#core/cluster/endpoint-slices.ts'
import { createDirectory, createServedDirectory } from '#core/cluster/namespace-directory.ts'
import type { ServedNamespaces } from '#core/cluster/served-namespaces.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import type { OwnIdentity } from '#core/cluster/token-review.ts'
import type { Role } from '#core/config/profile.ts'
import type { Store } from '#core/event-store/store.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { collectResponse } from '#core/kube/read-body.ts'
import type { Platform } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'

/** Opens the connections of one role to the API server. */
export function openPool({ cluster, deadlineMs, metrics }: SharedParts): KubePool {
  return { ...createPool(cluster.server, cluster.tls, { metrics, calls: cluster.calls }), deadlineMs }
}

/** Returns the directory of namespaces: the chosen ones, or those that the store knows. */
export function openDirectory(store: Store | undefined, { names }: ServedNamespaces): Platform['directory'] {
  if (names !== undefined) return createServedDirectory(names)
  return store === undefined ? undefined : createDirectory(store)
}

/** Returns the role's own identity, if it has a credential. */
export function openIdentity({ cluster, served }: SharedParts, role: Role, pool: KubePool): OwnIdentity | undefined {
  const bearer = cluster.bearerOf(role)
  return bearer === undefined
    ? undefined
    : createOwnIdentity({ cluster: createKubeClient({ server: cluster.server, pool, bearer }), served })
}

/** Returns the current bearer of the role's own identity; undefined without one, or with a client certificate in its place. */
export function ownBearerOf(cluster: ClusterLocation, role: Role): (() => Promise<string>) | undefined {
  const bearer = cluster.bearerOf(role)
  if (typeof bearer === 'string') return async () => bearer
  return bearer ?? undefined
}

/** Returns the look-up of a Service's endpoints. */
export function endpointsOf({ endpoints }: ClusterLocation, identity: OwnIdentity | undefined): ServiceEndpoints {
  if (endpoints !== undefined) return endpoints
  return identity === undefined ? endpointByService : createServiceEndpoints(identity.cluster)
}

// Shorter than the deadline of a readiness check, so that no call outlives its probe.
const REACH_MS = 2_000

/**
 * Throws if the API server does not respond. Sent without a credential, and by undici's handlers like every other call: an in-process API
 * server has no `request`.
 */
export async function reach(pool: KubePool): Promise<void> {
  const asked = { origin: pool.server, path: `${pool.basePath}/readyz`, method: 'GET' } as const
  const { status } = await collectResponse(pool.calls, asked, AbortSignal.timeout(REACH_MS))
  if (status >= 500) throw new Error(`the API server responded with ${status}`)
}
