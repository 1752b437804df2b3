import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { startRedis } from '#test/harness/redis.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createScope } from '#test/chaos/closing-scope.ts'
import { removeCluster, startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { installPlatform, makeImages } from './install.ts'
import type { AddedPlugin } from './install.ts'

/** The platform on a real cluster: roles as pods, PostgreSQL, NATS and Redis on this machine. */
export interface ClusterFixture {
  readonly cluster: Cluster
  /** URL of the BFF's Service, reachable from this machine as from pods. */
  readonly bffUrl: string
  /** URL of the database as pods and this machine reach it. */
  readonly databaseUrl: string
}

let shared: Promise<ClusterFixture> | undefined

/**
 * The cluster and the installation of this process, which test files share: each uses namespaces of its own and counts only what it creates.
 * It ends with the process.
 */
export function sharedCluster(): Promise<ClusterFixture> {
  shared ??= startShared()
  return shared
}

function startShared(): Promise<ClusterFixture> {
  const folder = process.env['MESH_TEST_CLUSTER'] ?? ''
  process.once('exit', () => removeCluster(folder))
  return openClusterFixture({ after: () => undefined }, folder)
}

// Holds of a killed launcher are charged within the test. Models are on this machine. Callers of a load are one user.
const settingsFor = (address: string): string => `outbound: { allow: [${address}] }
budgets: { holdLease: 10 }
limits: { underWayPerCaller: 1000, perAddressPerMinute: 60000 }
runs: { queuedPerCaller: 10000, queuedPerNamespace: 10000 }
`

/** Starts the cluster of a folder with the platform installed, and a namespace `demo` with the model route `mock`. Takes about 25 s. */
export async function openClusterFixture(t: Scope, folder: string, plugin?: AddedPlugin): Promise<ClusterFixture> {
  const images = createScope()
  const cluster = await startCluster(t, folder, await makeImages(images)).finally(() => images.close())
  const address = cluster.hostAddress
  const [postgres, nats, redis] = await Promise.all([
    startPostgres(t, { address }),
    startNats(t, { address }),
    startRedis(t, [], address),
  ])
  const databaseUrl = postgres.url.replace('127.0.0.1', address)
  const connections = { DATABASE_URL: databaseUrl, NATS_URL: nats.url, REDIS_URL: redis.url }
  await installPlatform(t, cluster, { connections, settings: settingsFor(address), plugin })
  await addTeam(cluster, 'demo')
  const service = ['-n', 'mesh-system', 'get', 'service', 'mesh-bff', '-o', 'jsonpath={.spec.clusterIP}']
  return { cluster, databaseUrl, bffUrl: `http://${(await cluster.kubectl(service)).trim()}:8080` }
}

/** Creates a namespace with the model route `mock`. */
export async function addTeam(cluster: Cluster, namespace: string): Promise<void> {
  const head = (kind: string) => ({ apiVersion: 'mesh.dev/v1alpha1', kind, metadata: { name: 'mock', namespace } })
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { ...head('ModelProvider'), spec: { type: 'mock' } },
    { ...head('ModelRoute'), spec: { providerRef: { name: 'mock' }, model: 'mock' } },
  ]
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
}
