import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { servedNamespaces } from '#core/cluster/served-namespaces.ts'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { FollowEvents } from '#core/controllers/wake-on-events.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { isStatus } from '#core/kube/status.ts'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { findServer } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { AgentPromptSource } from '../contract/points.ts'
import type { ReconcileSettings } from '../contract/reconcile-settings.ts'
import type { PublishFacts } from '../reconcile/facts/publish-facts.ts'
import { children } from '../reconcile/owned/child-kinds.ts'
import type { AgentParts } from '../reconcile/parts/collect-parts.ts'
import { agentReconciler } from '../reconcilers.ts'
import { settings as shipped } from './agent-fixture.ts'

const folder = new URL('../../../deploy/crds/', import.meta.url)
const crds = readdirSync(folder)
  .map((file) => parse(readFileSync(new URL(file, folder), 'utf8')))
  .filter((document) => document.kind === 'CustomResourceDefinition')
const settings: ReconcileSettings = { ...shipped, launcherResources: {}, agentResources: {} }
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}
// As the audit log: creations have their author only later, here never.
const findActor = async ({ resourceVersion }: { readonly resourceVersion?: string }) =>
  resourceVersion === undefined ? undefined : 'ada@corp'

interface Server {
  readonly cluster: KubeClient
  connect(bearer: string): KubeClient
}

const rbacFolder = new URL('../../../deploy/rbac/', import.meta.url)

/** An API server of either make, with our kinds. */
const makes = { real: realServer, embedded: embeddedServer }

async function realServer(t: TestContext): Promise<Server> {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const connect = (bearer: string): KubeClient => createKubeClient({ server: kube.url, pool, bearer })
  const cluster = connect(kube.tokens['admin'] ?? '')
  const definitions: Resource = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    namespaced: false,
  }
  for (const crd of crds)
    await cluster.patch(
      definitions,
      { name: parseName('name', crd.metadata.name) },
      { type: 'apply', body: crd, force: true },
    )
  for (const kind of [AgentDeployment, ModelRoute])
    await until(`${kind.kind} is served`, () =>
      cluster.list(kind).then(
        () => true,
        (error) => (isStatus(error, 404) ? undefined : true),
      ),
    )
  return { cluster, connect }
}

async function embeddedServer(t: TestContext): Promise<Server> {
  const dir = tempFolder('reconciler')
  const token = 'admin-token'
  const server = await startApiServer({
    dataDir: dir.path,
    crds,
    tokens: [{ token, username: 'admin', groups: ['system:masters'] }],
  })
  const pool = createPool(server.url)
  t.after(async () => {
    await pool.close()
    await server.close()
    dir.remove()
  })
  const connect = (bearer: string): KubeClient => createKubeClient({ server: server.url, pool, bearer })
  return { cluster: connect(token), connect }
}

/** The manager as it is shipped: its service account with exactly the rights of deploy/rbac. */
async function managerOf(cluster: KubeClient, connect: Server['connect']): Promise<KubeClient> {
  for (const file of ['namespace.yaml', 'service-accounts.yaml', 'manager.yaml'])
    for (const document of parseAllDocuments(readFileSync(new URL(file, rbacFolder), 'utf8')))
      await applyShipped(cluster, document.toJS())
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: 'mesh-manager', namespace: 'mesh-system' },
    spec: { audiences: [], expirationSeconds: 3600 },
  }
  const issued = await cluster.create<KubeObject<unknown, { token: string }>>(children.ServiceAccount, request, {
    subresource: 'token',
  })
  return connect(issued.status?.token ?? '')
}

async function applyShipped(cluster: KubeClient, object: KubeObject): Promise<void> {
  const [group = '', version = ''] = object.apiVersion.includes('/')
    ? object.apiVersion.split('/')
    : ['', object.apiVersion]
  const plural = `${object.kind.toLowerCase()}s`
  const { namespace, name } = object.metadata
  const resource: Resource = { group, version, plural, kind: object.kind, namespaced: namespace !== undefined }
  const ref = {
    ...(namespace === undefined ? {} : { namespace: parseLabel('namespace', namespace) }),
    name: parseName('name', name),
  }
  await cluster.patch(resource, ref, { type: 'apply', body: object, force: true })
}

let count = 0

/** Additions to the reconciler of a test. */
export interface ReconcilerOptions {
  readonly wrap?: (manager: KubeClient) => KubeClient
  readonly parts?: AgentParts
  readonly publish?: PublishFacts
  readonly settings?: Partial<ReconcileSettings>
  readonly prompts?: AgentPromptSource
  /** Passes events that wake the reconciler. Default: none. */
  readonly events?: FollowEvents
}

/** The reconciler of agents with the shipped rights of the manager, on an API server of either make. */
export async function startReconciler(t: TestContext, make: keyof typeof makes, options: ReconcilerOptions = {}) {
  const { wrap = (manager) => manager, settings: changed, events, ...more } = options
  const { cluster, connect } = await makes[make](t)
  const namespace = parseLabel('namespace', `agents-${make}-${process.pid}-${(count += 1)}`)
  const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false }
  await cluster.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await cluster.create(
    ModelRoute,
    ModelRoute.object({
      metadata: { name: 'mock', namespace },
      spec: { providerRef: { name: 'mock' }, model: 'mock' },
    }),
  )
  const controller = new AbortController()
  const asManager = wrap(await managerOf(cluster, connect))
  const reconciler = agentReconciler({
    cluster: asManager,
    settings: { ...settings, ...changed },
    now: () => new Date(),
    kinds: () => kindsOf(plugins),
    ...more,
    findActor,
    unenforced: [{ kind: 'AgentDeployment', field: 'budget', plugin: 'budgets', because: 'no DATABASE_URL' }],
  })
  const running = runReconcilers({
    cluster: asManager,
    reconcilers: [reconciler],
    log: silent,
    signal: controller.signal,
    // Files share the real API server: this manager writes no status of another test.
    served: servedNamespaces([namespace]),
    ...(events === undefined ? {} : { events }),
  })
  t.after(async () => {
    controller.abort()
    await running.done
  })
  const ref = { namespace, name: parseName('name', 'bot') }
  return {
    cluster,
    namespace,
    ref,
    kind: AgentDeployment,
    agent: () => cluster.get<AgentDeploymentObject>(AgentDeployment, ref),
    create: (spec: AgentDeploymentSpec) =>
      cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { name: 'bot', namespace }, spec })),
    change: (body: readonly object[]) => cluster.patch(AgentDeployment, ref, { type: 'json', body }),
    when: (condition: string) =>
      until(condition, async () => {
        const agent = await cluster.get<AgentDeploymentObject>(AgentDeployment, ref)
        const all = agent.status?.conditions?.map((one) => `${one.type}=${one.status} ${one.reason}`) ?? []
        const current = (agent.status?.observedGeneration ?? 0) >= (agent.metadata.generation ?? 0)
        return current && all.includes(condition) ? agent : undefined
      }),
    /** Writes the status of the Deployment in place of the Deployment controller, which neither server has. */
    deploymentSays: async (numbers: { updated: number; available: number }) => {
      const live = await cluster.get(children.Deployment, ref)
      const { updated, available } = numbers
      const status = {
        observedGeneration: live.metadata.generation,
        replicas: Math.max(updated, available),
        updatedReplicas: updated,
        availableReplicas: available,
        readyReplicas: available,
      }
      await cluster.patch(children.Deployment, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
    },
  }
}

/** Asks until there is an answer, for a minute. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    assert.ok(performance.now() < end, `did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Makes of API servers, and the options of a test on one. */
export const apiServers = (['real', 'embedded'] as const).map((make) => {
  const missing = make === 'real' && (findServer('kube-apiserver') === undefined || findServer('etcd') === undefined)
  return {
    make,
    options: { skip: missing && process.env['CI'] !== 'true' ? 'kube-apiserver or etcd not found' : false },
  }
})
