import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { completeRoles, roleResources, withoutReasons } from '#core/cluster/roles/role-objects.ts'
import { accessOfPlugins, kindsOf } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { applyNode } from './node-object.ts'
import { workloadResources } from '../workloads/objects/workload-objects.ts'
import { demoNamespaces, personaBindings } from '../data-folder/personas.ts'

const fieldManager = 'mesh-local'

const builtIn: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  ...roleResources,
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural: 'rolebindings',
    kind: 'RoleBinding',
    namespaced: true,
  },
]

// The objects of deploy/rbac that are written by hand; ClusterRoles follow from the plugins.
const accountFiles = ['namespace.yaml', 'service-accounts.yaml']

/** Input of `bootstrap`: the folders of shipped manifests, and the plugins of the installation. */
export interface BootstrapInput {
  readonly rbac: string
  readonly demo: string
  readonly plugins: readonly AnyPlugin[]
}

/**
 * Applies the objects of an installation: namespaces, accounts, the node, the roles that its plugins need, the personas' bindings, and the mock
 * routes. Applying is idempotent and done at every start.
 */
export async function bootstrap(cluster: KubeClient, { rbac, demo, plugins }: BootstrapInput): Promise<void> {
  const namespaces: readonly KubeObject[] = demoNamespaces.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }))
  const accounts = accountFiles.flatMap((file) => readManifest(join(rbac, file)))
  const roles = completeRoles(accessOfPlugins(plugins)).map(withoutReasons)
  for (const object of [...namespaces, ...accounts, ...roles, ...personaBindings()])
    await apply(cluster, object, builtIn)
  await applyNode(cluster, fieldManager)
  const mocks = readManifest(join(demo, 'mock-models.yaml'))
  for (const namespace of ['default', ...demoNamespaces])
    for (const object of mocks)
      await createMissing(cluster, { ...object, metadata: { ...object.metadata, namespace } }, kindsOf(plugins))
}

/** Creates the agents of the demo once: a user's change or deletion of one survives a restart. */
export async function createDemo(cluster: KubeClient, input: Pick<BootstrapInput, 'demo' | 'plugins'>): Promise<void> {
  await onceInDemo(cluster, 'mesh.dev/demo', () => createShipped(cluster, 'agents.yaml', input))
}

/** Does work once in the life of the namespace `demo`, whose annotation marks it as done. */
export async function onceInDemo(cluster: KubeClient, annotation: string, work: () => Promise<void>): Promise<void> {
  const annotations = { [annotation]: 'created' }
  const resource = resourceOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } }, builtIn)
  const demo = { name: parseName('demo', 'demo') }
  const found = await cluster.get(resource, demo)
  if (found.metadata.annotations?.[annotation] === 'created') return
  await work()
  await cluster.patch(resource, demo, { type: 'merge', body: { metadata: { annotations } } }, { fieldManager })
}

/** Creates the objects of a manifest of the demo that are missing. */
export async function createShipped(
  cluster: KubeClient,
  file: string,
  { demo, plugins }: Pick<BootstrapInput, 'demo' | 'plugins'>,
): Promise<void> {
  for (const object of readManifest(join(demo, file))) await createMissing(cluster, object, kindsOf(plugins))
}

async function createMissing(cluster: KubeClient, object: KubeObject, resources: readonly Resource[]): Promise<void> {
  await cluster.create(resourceOf(object, resources), object, { fieldManager }).catch((error: unknown) => {
    if (!isStatus(error, 409)) throw error
  })
}

/** Applies an object of a kind of these plugins, a namespace or a Secret. Returns it as the cluster has it. */
export function applyLocal(
  cluster: KubeClient,
  object: KubeObject,
  plugins: readonly AnyPlugin[],
): Promise<KubeObject> {
  return apply(cluster, object, [...builtIn, workloadResources.secrets, ...kindsOf(plugins)])
}

async function apply(cluster: KubeClient, object: KubeObject, resources: readonly Resource[]): Promise<KubeObject> {
  const { name, namespace } = object.metadata
  const ref = {
    name: parseName('metadata.name', name),
    ...(namespace === undefined ? {} : { namespace: parseLabel('metadata.namespace', namespace) }),
  }
  return cluster.patch(
    resourceOf(object, resources),
    ref,
    { type: 'apply', body: object, force: true },
    { fieldManager },
  )
}

function readManifest(file: string): readonly KubeObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as KubeObject)
}

function resourceOf(object: KubeObject, resources: readonly Resource[]): Resource {
  const found = resources.find(({ kind }) => kind === object.kind)
  if (!found) throw new Error(`the manifest has a ${object.kind}, which is not applied at start`)
  return found
}
