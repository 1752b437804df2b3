import { sql } from 'kysely'
import type { Database } from '#core/database/database.ts'
import { spaceOf } from '#core/retrieval/embeddings.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { addBudgetedAgent, addRoutes } from '#plugins/budgets/testing/state-role.ts'
import { queueIngests } from '#plugins/knowledge/ingest/queue-ingests.ts'
import { refreshTask } from '#plugins/knowledge/ingest/tasks.ts'
import { lockBase, writeSettings } from '#plugins/knowledge/store/bases.ts'
import { mcpObjectsIn } from '#plugins/mcp/testing/broker-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { createWorld, queueRunOf } from '#plugins/runs/testing/world.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'

/** Namespace of the objects. */
export const namespace = `failures-${process.pid}`
/** Registry of both agents. */
export const registry = 'team'
const base = 'handbook'
const namespaceUid = `uid-of-${namespace}`
const route = `${namespace}/paid`

/** An agent in the cluster. */
export interface StagedAgent {
  readonly name: string
  readonly uid: string
  /** Token of its launcher for the state role. */
  readonly token: string
}

/** The agent `robot` with a budget, memory and knowledge, and the agent `peer` of the same registry. */
export interface StagedObjects {
  readonly robot: StagedAgent
  readonly peer: StagedAgent
  /** A run of `robot` that it may score. */
  readonly runId: string
  /** Queues a run of `robot`. Returns its id. */
  queueRun(): Promise<string>
}

/** Creates the objects in the cluster, and in the store what manager and worker derive from them. */
export async function addObjects(
  admin: KubeClient,
  database: Database,
  { toolsUrl }: { readonly toolsUrl: string },
): Promise<StagedObjects> {
  await addRoutes(admin, namespace)
  await addTools(admin, toolsUrl)
  const robot = await addAgent(admin, 'robot', {
    budget: { amount: '1000' },
    memory: { session: {}, longTerm: { embeddingRoute: 'paid' } },
    knowledge: [{ name: base }],
    tools: [{ name: 'clock', bindingRef: { name: 'clock' } }],
  })
  const peer = await addAgent(admin, 'peer', {})
  await addRegistry(admin, [robot, peer])
  await allowInvoke(admin)
  const world = createWorld(database)
  for (const [uid, kind, of, name] of [
    [namespaceUid, 'Namespace', '', namespace],
    [robot.uid, 'AgentDeployment', namespace, 'robot'],
    [peer.uid, 'AgentDeployment', namespace, 'peer'],
  ])
    await index(database, { uid, kind, of, name })
  await addKnowledge(admin, database, world.store)
  const agent = { namespace, name: 'robot', uid: robot.uid }
  const queueRun = async (): Promise<string> => (await queueRunOf(world, { agent, namespaceUid })).id
  return { robot, peer, runId: await queueRun(), queueRun }
}

async function addAgent(admin: KubeClient, name: string, more: object): Promise<StagedAgent> {
  const agent = await addBudgetedAgent(admin, namespace, name)
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
  await admin.patch(AgentDeployment, ref, {
    type: 'merge',
    body: { spec: { ...more, registries: [{ name: registry }] } },
  })
  return { name, ...agent }
}

async function addRegistry(admin: KubeClient, agents: readonly StagedAgent[]): Promise<void> {
  const made = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentRegistry',
    metadata: { name: registry, namespace },
    spec: {},
  }
  await admin.create(AgentRegistry, made)
  const members = agents.map(({ name, uid }) => ({ namespace, name, uid, role: 'member' }))
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', registry) }
  const body = { status: { members, memberCount: members.length } }
  await admin.patch(AgentRegistry, ref, { type: 'merge', body }, { subresource: 'status' })
}

// With the tools that the server offers as the accepted ones, as the manager writes them.
async function addTools(admin: KubeClient, url: string): Promise<void> {
  const { addServer, addBinding } = mcpObjectsIn(admin)
  await addServer(namespace, 'clock', { url })
  await addBinding(namespace, 'clock', { serverRef: { name: 'clock' }, timeout: '10s' })
}

// Every service account of the namespace may invoke: robot calls peer.
async function allowInvoke(admin: KubeClient): Promise<void> {
  const metadata = { name: 'robot-invokes', namespace }
  const rules = [{ apiGroups: ['mesh.dev'], resources: ['agentdeployments/invoke'], verbs: ['create'] }]
  await apply(admin, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as never)
  await apply(admin, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
  } as never)
}

type Store = ReturnType<typeof createWorld>['store']

// The worker ingests the document.
async function addKnowledge(admin: KubeClient, database: Database, store: Store): Promise<void> {
  const metadata = { name: base, namespace }
  await apply(admin, {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'KnowledgeBase',
    metadata,
    spec: { embedding: { route: 'paid' } },
  } as never)
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', base) }
  const { metadata: made } = await admin.get(KnowledgeBase, ref)
  const uid = made.uid ?? ''
  await index(database, { uid, kind: 'KnowledgeBase', of: namespace, name: base })
  const tasks = createTaskQueue(database)
  const identity = { uid, namespace, namespaceUid, name: base, actor: 'tester' }
  const content = Buffer.from('A refund is paid within thirty days.')
  await store.transact(async (tx) => {
    const from = { content, contentType: 'text/plain' }
    await queueIngests(tx, { tasks, waitingBytesPerNamespace: 1024 }, identity, [
      { documentId: 'refunds.txt', title: null, from },
    ])
    await lockBase(tx, uid)
    await writeSettings(tx, uid, { ...settings, route, space: spaceOf(route, 'mock-1') })
    await tasks.enqueue(tx, refreshTask, { namespace, namespaceUid, payload: { base: uid } })
  })
}

const settings = {
  generation: 1,
  chunkSize: 200,
  chunkOverlap: 20,
  language: 'english',
  mostDocuments: null,
  mostChunks: null,
}

interface Indexed {
  readonly uid: string | undefined
  readonly kind: string | undefined
  readonly of: string | undefined
  readonly name: string | undefined
}

function index(database: Database, { uid, kind, of, name }: Indexed) {
  return sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
    values (${uid}, ${kind}, ${of}, ${name}, '1', '')`.execute(database.root)
}
