import { readFileSync, readdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
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
