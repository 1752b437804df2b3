import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import { runReconcilers } from '#core/controllers/controller.ts'
import type { KubeClient, KubeObject, ListOptions, Resource } from '#core/kube/client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject, AgentDeploymentSpec } from '#schemas/crds/agent-deployment.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { agentReconciler } from '../reconcilers.ts'
import { controllerRevisions } from '../contract/resources.ts'
import { children } from './owned/child-kinds.ts'
import { settings } from '../testing/agent-fixture.ts'

const folder = new URL('../../../deploy/crds/', import.meta.url)
const crds = readdirSync(folder)
  .map((file) => parse(readFileSync(new URL(file, folder), 'utf8')))
  .filter((document) => document.kind === 'CustomResourceDefinition')
const silent = { debug: noop, info: noop, warn: noop, error: noop, child: () => silent }
function noop(): void {}
const namespace = parseLabel('namespace', 'default')
const refOf = (name: string) => ({ namespace, name: parseName('name', name) })

async function setUp(t: TestContext): Promise<KubeClient> {
  const dir = tempFolder('requests')
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
  const cluster = createKubeClient({ server: server.url, pool, bearer: token })
  const spec = { providerRef: { name: 'mock' }, model: 'mock' }
  await cluster.create(ModelRoute, ModelRoute.object({ metadata: { name: 'mock', namespace }, spec }))
  return cluster
}

/** A client that notes its calls: `get services default/bot`. Lists of the whole cluster are those of watches. */
function noting(cluster: KubeClient, held: (resource: Resource) => boolean = () => false) {
  const calls: string[] = []
  const noted = (verb: 'get' | 'patch' | 'delete' | 'create' | 'list') => {
    return async (
      resource: Resource,
      target: { name?: string; metadata?: { name: string } } & ListOptions,
      ...more: never[]
    ) => {
      if (verb !== 'list' || target.namespace !== undefined)
        calls.push(`${verb} ${resource.plural} ${target.name ?? target.metadata?.name ?? ''}`)
      return Reflect.apply(cluster[verb], cluster, [resource, target, ...more])
    }
  }
  const verbs = ['get', 'patch', 'delete', 'create', 'list'] as const
  const wrapped = {
    ...cluster,
    ...Object.fromEntries(verbs.map((verb) => [verb, noted(verb)])),
    watch: (resource: Resource, options: ListOptions) =>
      held(resource) ? never(options.signal) : cluster.watch(resource, options),
  } as KubeClient
  return { calls, cluster: wrapped }
}

/** A watch that reports nothing. */
async function* never(signal: AbortSignal | undefined): AsyncGenerator<undefined> {
  yield await new Promise<undefined>((resolve) =>
    signal?.addEventListener('abort', () => resolve(undefined), { once: true }),
  )
}

/** A manager; `ended` are the agents of its reconciliations, in order. */
function startManager(t: TestContext, cluster: KubeClient) {
  const ended: string[] = []
  const controller = new AbortController()
  const findActor = async () => undefined
  const kinds = () => kindsOf(plugins)
  // Revisions are older than the time in which their authors are looked up.
  const now = () => new Date(Date.now() + 600_000)
  const reconciler = agentReconciler({ cluster, settings, now, kinds, findActor })
  const reconcile: typeof reconciler.reconcile = async (ref, object) => {
    const result = await reconciler.reconcile(ref, object)
    ended.push(ref.name)
    return result
  }
  const running = runReconcilers({
    cluster,
    reconcilers: [{ ...reconciler, reconcile }],
    log: silent,
    signal: controller.signal,
  })
  const stop = async (): Promise<void> => {
    controller.abort()
    await running.done
  }
  t.after(stop)
  return { ended, synced: running.synced, stop }
}

async function until<T>(what: string, ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    assert.ok(performance.now() < end, `did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const declarative: AgentDeploymentSpec = { model: { route: 'mock' }, systemPrompt: 'You help.' }
const job: AgentDeploymentSpec = { executionModel: 'job', image: 'worker:1', runtime: { command: ['work'] } }

const create = (cluster: KubeClient, name: string, spec: AgentDeploymentSpec) =>
  cluster.create(AgentDeployment, AgentDeployment.object({ metadata: { name, namespace }, spec }))

const whenReady = (cluster: KubeClient, name: string, reason: string) =>
  until(`${name} is ${reason}`, async () => {
    const { status } = await cluster.get<AgentDeploymentObject>(AgentDeployment, refOf(name))
    return status?.conditions?.some((one) => one.type === 'Ready' && one.reason === reason) ? true : undefined
  })

/** Says in place of their controllers that all workloads are complete. Returns how many there are. */
async function completeWorkloads(cluster: KubeClient): Promise<number> {
  const served = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 }
  const { items: deployments } = await cluster.list(children.Deployment, { namespace })
  for (const { metadata } of deployments) {
    const body = { status: { ...served, observedGeneration: metadata.generation } }
    await cluster.patch(children.Deployment, refOf(metadata.name), { type: 'merge', body }, { subresource: 'status' })
  }
  const body = { status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] } }
  const { items: jobs } = await cluster.list(children.Job, { namespace })
  for (const { metadata } of jobs)
    await cluster.patch(children.Job, refOf(metadata.name), { type: 'merge', body }, { subresource: 'status' })
  return deployments.length + jobs.length
}

test('R2-CL-5: a new leader makes no request for an agent that is unchanged, and repairs what is edited or deleted', async (t) => {
  const cluster = await setUp(t)
  const { calls: made, cluster: noted } = noting(cluster)
  const first = startManager(t, noted)
  const agents = ['one', 'two', 'three']
  for (const name of agents) await create(cluster, name, declarative)
  await create(cluster, 'work', job)
  await until('the workloads', async () => ((await completeWorkloads(cluster)) === 4 ? true : undefined))
  for (const name of agents) await whenReady(cluster, name, 'Serving')
  await first.stop()
  // Ends what the first one had yet to do.
  const second = startManager(t, cluster)
  await second.synced
  await second.stop()
  assert.deepEqual(
    made.filter((call) => call.startsWith('delete')),
    [],
    'nothing is deleted of agents that are new',
  )

  const { calls, cluster: counted } = noting(cluster)
  const third = startManager(t, counted)
  await third.synced
  assert.deepEqual([...new Set(third.ended)].toSorted(), [...agents, 'work'].toSorted())
  assert.equal(calls.length, 0, calls.join(', '))

  const account = await cluster.get(children.ServiceAccount, refOf('two'))
  await cluster.delete(children.ServiceAccount, refOf('two'))
  await until('the deleted account is made again', async () => {
    const again = await cluster.get(children.ServiceAccount, refOf('two')).catch(() => undefined)
    return again !== undefined && again.metadata.uid !== account.metadata.uid ? true : undefined
  })
  const edit = { type: 'merge', body: { spec: { maxUnavailable: 3 }, metadata: { labels: null } } } as const
  await cluster.patch(children.PodDisruptionBudget, refOf('three'), edit)
  await until('the edited budget is corrected', async () => {
    const { spec, metadata } = await cluster.get<KubeObject<{ maxUnavailable: number }>>(
      children.PodDisruptionBudget,
      refOf('three'),
    )
    return spec?.maxUnavailable === 1 && metadata.labels?.['mesh.dev/agent'] === 'three' ? true : undefined
  })
  assert.ok(!calls.some((call) => call.endsWith(' one')), `the others are left alone: ${calls.join(', ')}`)
})

test('R2-CL-5: what was made a moment ago and is not reported yet is not made twice', async (t) => {
  const cluster = await setUp(t)
  const { calls, cluster: counted } = noting(cluster, ({ kind }) => kind !== AgentDeployment.kind)
  const { ended } = startManager(t, counted)
  await create(cluster, 'bot', declarative)
  await until('the agent is reconciled', () => ended[0])
  const written = () => calls.filter((call) => /^(?:create|patch) (?!events|agentdeployments)/.test(call))
  const once = written()
  assert.ok(once.includes('patch deployments bot'), once.join(', '))
  const before = ended.length
  await cluster.patch(AgentDeployment, refOf('bot'), { type: 'merge', body: { metadata: { labels: { round: '2' } } } })
  await until('it is reconciled again', () => ended[before])
  assert.deepEqual(written(), once, 'nothing is written again')
  assert.equal((await cluster.list(controllerRevisions, { namespace })).items.length, 1)
})
