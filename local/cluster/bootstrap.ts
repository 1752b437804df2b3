import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { kinds } from '#schemas/kinds.ts'
import { demoNamespaces, personaBindings } from './personas.ts'

const fieldManager = 'mesh-local'

const builtIn: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  rbac('ClusterRole', 'clusterroles', false),
  rbac('ClusterRoleBinding', 'clusterrolebindings', false),
  rbac('Role', 'roles', true),
  rbac('RoleBinding', 'rolebindings', true),
]

/**
 * Applies the objects of an installation: namespaces, the shipped roles and accounts, the personas' bindings, and the
 * mock routes. Applying is idempotent and done at every start.
 */
export async function bootstrap(
  cluster: KubeClient,
  folders: { readonly rbac: string; readonly demo: string },
): Promise<void> {
  const namespaces: readonly KubeObject[] = demoNamespaces.map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }))
  for (const object of [...namespaces, ...readManifests(folders.rbac), ...personaBindings()])
    await apply(cluster, object)
  const mocks = readManifest(join(folders.demo, 'mock-models.yaml'))
  for (const namespace of ['default', ...demoNamespaces])
    for (const object of mocks) await createMissing(cluster, { ...object, metadata: { ...object.metadata, namespace } })
}

/** Creates the agents of the demo once: a user's change or deletion of one survives a restart. */
export async function createDemo(cluster: KubeClient, folder: string): Promise<void> {
  const annotations = { 'mesh.dev/demo': 'created' }
  const marked = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo', annotations } }
  const demo = { name: parseName('demo', 'demo') }
  const found = await cluster.get(resourceOf(marked), demo)
  if (found.metadata.annotations?.['mesh.dev/demo'] === 'created') return
  for (const object of readManifest(join(folder, 'agents.yaml'))) await createMissing(cluster, object)
  await cluster.patch(
    resourceOf(marked),
    demo,
    { type: 'merge', body: { metadata: { annotations } } },
    { fieldManager },
  )
}

async function createMissing(cluster: KubeClient, object: KubeObject): Promise<void> {
  await cluster.create(resourceOf(object), object, { fieldManager }).catch((error: unknown) => {
    if (!isStatus(error, 409)) throw error
  })
}

async function apply(cluster: KubeClient, object: KubeObject): Promise<void> {
  const { name, namespace } = object.metadata
  const ref = {
    name: parseName('metadata.name', name),
    ...(namespace === undefined ? {} : { namespace: parseLabel('metadata.namespace', namespace) }),
  }
  await cluster.patch(resourceOf(object), ref, { type: 'apply', body: object, force: true }, { fieldManager })
}

function readManifests(folder: string): readonly KubeObject[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
  // Namespaces first: the accounts belong to one of them.
  const objects = files.flatMap((file) => readManifest(join(folder, file)))
  return objects.toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'))
}

function readManifest(file: string): readonly KubeObject[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as KubeObject)
}

function resourceOf(object: KubeObject): Resource {
  const found = [...builtIn, ...kinds].find(({ kind }) => kind === object.kind)
  if (!found) throw new Error(`the manifest has a ${object.kind}, which is not applied at start`)
  return found
}

function rbac(kind: string, plural: string, namespaced: boolean): Resource {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', plural, kind, namespaced }
}
