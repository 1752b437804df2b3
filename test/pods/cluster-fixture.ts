import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startCluster } from './cluster.ts'
import type { Cluster } from './cluster.ts'
import { installPlatform, makeImages } from './install.ts'

/** The platform on a real cluster: roles as pods, PostgreSQL and NATS on this machine. */
export interface ClusterFixture {
  readonly cluster: Cluster
  /** URL of the BFF's Service, reachable from this machine as from pods. */
  readonly bffUrl: string
  /** URL of the database as pods and this machine reach it. */
  readonly databaseUrl: string
}

const demo = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } },
  {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelProvider',
    metadata: { name: 'mock', namespace: 'demo' },
    spec: { type: 'mock' },
  },
  {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelRoute',
    metadata: { name: 'mock', namespace: 'demo' },
    spec: { providerRef: { name: 'mock' }, model: 'mock' },
  },
]

/**
 * Starts the cluster of a folder with the platform installed, and a namespace `demo` with the model route `mock`. Takes about 25 s. `more`
 * names additional image archives.
 */
export async function openClusterFixture(
  t: Scope,
  folder: string,
  more: readonly string[] = [],
): Promise<ClusterFixture> {
  const images = [...(await makeImages(t)), ...more]
  const cluster = await startCluster(t, folder, images)
  const address = cluster.hostAddress
  const [postgres, nats] = await Promise.all([startPostgres(t, { address }), startNats(t, { address })])
  const databaseUrl = postgres.url.replace('127.0.0.1', address)
  await installPlatform(t, cluster, { DATABASE_URL: databaseUrl, NATS_URL: nats.url })
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: demo }))
  const service = ['-n', 'mesh-system', 'get', 'service', 'mesh-bff', '-o', 'jsonpath={.spec.clusterIP}']
  return { cluster, databaseUrl, bffUrl: `http://${(await cluster.kubectl(service)).trim()}:8080` }
}
