import { readFileSync, readdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { createPool } from '#core/kube/connection-pool.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const deploy = new URL('../../../deploy/', import.meta.url)
const crds = readdirSync(new URL('crds/', deploy))
  .map((file) => parse(readFileSync(new URL(`crds/${file}`, deploy), 'utf8')) as KubeObject)
  .filter(({ kind }) => kind === 'CustomResourceDefinition')

/** An API server with our kinds: as administrator, and as the manager with exactly the rights of deploy/rbac. */
export interface ManagedCluster {
  readonly admin: KubeClient
  readonly manager: KubeClient
}

const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}
let count = 0

/** Makes of API servers. */
export type ApiServerMake = keyof typeof clusters

/** Creates a namespace `{prefix}-{make}-...` on one of the API servers. */
export async function startNamespace(t: TestContext, make: ApiServerMake, prefix: string) {
  const cluster = await clusters[make](t)
  const namespace = parseLabel('namespace', `${prefix}-${make}-${process.pid}-${(count += 1)}`)
  await cluster.admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  return { ...cluster, namespace }
}

/** Runs reconcilers until the end of the test, in one namespace only: files share the real API server, and each writes status of its own objects. */
export function reconcileIn(
  t: TestContext,
  { manager: cluster, namespace }: Pick<ManagedCluster, 'manager'> & { readonly namespace: DnsLabel },
  reconcilers: readonly Reconciler[],
): void {
  const stop = new AbortController()
  const served = servedNamespaces([namespace])
  const running = runReconcilers({ cluster, reconcilers, log: silent, signal: stop.signal, served })
  t.after(async () => {
    stop.abort()
    await running.done
  })
}

type Connect = (bearer: string) => KubeClient

/** Starts one of the API servers, until the end of the test. */
export const clusters = {
  real: async (t: TestContext): Promise<ManagedCluster> => {
    const kube = await sharedKube(t)
    const pool = createPool(kube.url, { ca: kube.ca })
    t.after(() => pool.close())
    const connect: Connect = (bearer) => createKubeClient({ server: kube.url, pool, bearer })
    const admin = connect(kube.tokens['admin'] ?? '')
    for (const crd of crds) await apply(admin, crd)
    return { admin, manager: await asManager(admin, connect) }
  },
  embedded: async (t: TestContext): Promise<ManagedCluster> => {
    const folder = tempFolder('providers')
    const tokens = [{ token: 'admin-token', username: 'admin', groups: ['system:masters'] }]
    const server = await startApiServer({ dataDir: folder.path, crds: crds as never, tokens })
    const pool = createPool(server.url)
    t.after(async () => {
      await pool.close()
      await server.close()
      folder.remove()
    })
    const connect: Connect = (bearer) => createKubeClient({ server: server.url, pool, bearer })
    const admin = connect('admin-token')
    return { admin, manager: await asManager(admin, connect) }
  },
}

async function asManager(admin: KubeClient, connect: Connect): Promise<KubeClient> {
  for (const file of ['namespace.yaml', 'service-accounts.yaml', 'manager.yaml'])
    for (const document of parseAllDocuments(readFileSync(new URL(`rbac/${file}`, deploy), 'utf8')))
      await apply(admin, document.toJS() as KubeObject)
  const accounts: Resource = {
    group: '',
    version: 'v1',
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    namespaced: true,
  }
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'mesh-manager', namespace: 'mesh-system' },
    spec: { audiences: [], expirationSeconds: 3600 },
  }
  const issued = await admin.create<KubeObject<unknown, { token: string }>>(accounts, request, { subresource: 'token' })
  return connect(issued.status?.token ?? '')
}

/** Applies an object of any kind whose plural is regular. */
export async function apply(cluster: KubeClient, object: KubeObject): Promise<void> {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion]
  const { namespace, name } = object.metadata
  const resource: Resource = {
    group: group ?? '',
    version: version ?? '',
    plural: `${object.kind.toLowerCase()}s`,
    kind: object.kind,
    namespaced: namespace !== undefined,
  }
  const ref = {
    ...(namespace === undefined ? {} : { namespace: parseLabel('namespace', namespace) }),
    name: parseName('name', name),
  }
  await cluster.patch(resource, ref, { type: 'apply', body: object, force: true })
}
