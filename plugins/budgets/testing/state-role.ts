import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { Contribution, Point } from '#core/jobs/extension-point.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { runs } from '#plugins/runs/index.ts'
import { runsProjection } from '#plugins/runs/projections.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { createTestCore, serveRole, startStateCluster } from '#test/harness/role.ts'
import { podTokenOf } from '#test/harness/service-accounts.ts'
import { budgets } from '../index.ts'
import { budgetsSettings } from '../contract/settings.ts'
import type { BudgetsSettings } from '../contract/settings.ts'
import { budgetsMigrations } from './ledger.ts'
import { runsMigrations } from './run-rows.ts'

/** A response of the state role. */
export interface StateAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** The state role with its own account, on a real kube-apiserver and PostgreSQL; everything ends with the test. */
export async function startStateRole(
  t: TestContext,
  {
    contributed = [],
    settings: some = {},
    also = [],
    settingsOf = {},
    objects,
  }: {
    contributed?: readonly Contribution[]
    settings?: Partial<BudgetsSettings>
    /** Further plugins, which need at most `runs`. */
    also?: readonly AnyPlugin[]
    /** Settings of these plugins that differ from their defaults. */
    settingsOf?: Readonly<Record<string, object>>
    objects?: ObjectStore | undefined
  } = {},
) {
  const cluster = await startStateCluster(t)
  const { kube, admin } = cluster
  const databaseUrl = await createMigrated(t, [
    { name: 'cluster', migrations: clusterMigrations },
    runsMigrations,
    budgetsMigrations,
    ...also.map(({ name, migrations }) => ({ name, migrations: migrations ?? clusterMigrations })),
  ])
  const database = await openDatabase({ url: databaseUrl, connections: 20 })
  const store = createStore(database, { projections: [runsProjection] })
  const core = createTestCore(t, {
    role: 'state',
    store,
    bus: createMemoryBus(),
    observed: createObserved(store),
    cluster: cluster.callers,
    extensions: <T>(point: Point<T>) =>
      contributed.filter((one) => one.point === point.name).map(({ value }) => value as T),
  }) as CoreWith<readonly ['store']>
  const ready = { wiring: 'ready' } as const
  const settings = { ...Value.Create(budgetsSettings), ...some }
  const ofRuns = runs.create(core, Value.Create(runs.settings), {})
  const built = [
    { plugin: runs as AnyPlugin, services: ofRuns, wired: ready },
    ...also.map((plugin) => ({
      plugin,
      services: plugin.create(
        core,
        { ...(Value.Create(plugin.settings) as object), ...settingsOf[plugin.name] },
        { runs: runs.api?.(ofRuns) },
      ),
      wired: ready,
    })),
    { plugin: budgets as AnyPlugin, services: budgets.create(core, settings, { runs: undefined }), wired: ready },
  ]
  const { callers, identity } = cluster
  const url = await serveRole(t, {
    role: 'state',
    core,
    platform: { callers, store, directory: undefined, identity, objects },
    built,
    close: async () => {
      await database.close()
      await cluster.close()
    },
  })
  return { url, admin, database, store, kube, metrics: () => core.metrics.render(), settings }
}

const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }

/** Creates an agent with a budget, or without one, as `addLaunchedAgent` does. */
export function addBudgetedAgent(
  admin: KubeClient,
  namespace: string,
  name: string,
  budget?: Record<string, unknown>,
): Promise<LaunchedAgent> {
  const model = { route: 'paid', allowRoutes: ['*'] }
  const spec = { model, ...(budget === undefined ? {} : { budget }) }
  return addLaunchedAgent(admin, { namespace, name }, spec)
}

/** An agent whose launcher a test plays. */
export interface LaunchedAgent {
  readonly uid: string
  /** Token for the state role. */
  readonly token: string
}

/** Creates an agent with its service account. */
export async function addLaunchedAgent(
  admin: KubeClient,
  metadata: { readonly namespace: string; readonly name: string },
  spec: object,
): Promise<LaunchedAgent> {
  const { namespace, name } = metadata
  const apiVersion = 'mesh.dev/v1alpha1'
  await apply(admin, { apiVersion, kind: 'AgentDeployment', metadata, spec })
  const agent = await admin.get(AgentDeployment, metadata as never)
  const uid = agent.metadata.uid ?? ''
  const ownerReferences = [{ apiVersion, kind: 'AgentDeployment', name, uid, controller: true }]
  await apply(admin, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, ownerReferences } })
  // The agent does not run: the test plays its launcher.
  const container = { name: 'agent', image: 'none' }
  const pod = { serviceAccountName: name, automountServiceAccountToken: false, containers: [container] }
  await apply(admin, { apiVersion: 'v1', kind: 'Pod', metadata, spec: pod })
  const made = await admin.get(pods, metadata as never)
  return { uid, token: await podTokenOf(admin, { namespace, name }, { name, uid: made.metadata.uid ?? '' }) }
}

/**
 * Creates a namespace with routes: `paid` (1 and 2 USD per million tokens), `cached` with prices of writes to a cache, `unpriced`, `listed` with a
 * shipped price, and `fallback` to a more expensive provider.
 */
export async function addRoutes(admin: KubeClient, namespace: string): Promise<void> {
  await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const prices = { inputPerMillion: '1', outputPerMillion: '2', cachedInputPerMillion: '0.5' }
  const route = (name: string, spec: object): KubeObject => ({
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelRoute',
    metadata: { name, namespace },
    spec: { providerRef: { name: 'mock' }, model: 'mock-1', ...spec },
  })
  await apply(admin, route('paid', { prices }))
  await apply(admin, route('listed', { model: 'mock' }))
  await apply(admin, route('unpriced', {}))
  await apply(admin, route('capped', { prices, maxOutputTokens: 100 }))
  await apply(
    admin,
    route('cached', { prices: { ...prices, cacheWritePerMillion: '1.25', cacheWrite1hPerMillion: '2' } }),
  )
  const dear = { inputPerMillion: '10', outputPerMillion: '20' }
  await apply(
    admin,
    route('fallback', { prices, fallbacks: [{ providerRef: { name: 'dear' }, model: 'd', prices: dear }] }),
  )
}

/** Calls the state role as a launcher does. */
export function createLauncher(url: string, token: string) {
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<StateAnswer> => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
  }
  const get = async (path: string): Promise<StateAnswer> => {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
  }
  return {
    get,
    post,
    hold: (some: Record<string, unknown> = {}, key: string = crypto.randomUUID()) =>
      post('/budgets/holds', { ...holdBody, ...some }, { 'idempotency-key': key }),
    settle: (id: unknown, some: Record<string, unknown> = {}) =>
      post(`/budgets/holds/${String(id)}/settle`, { ...settleBody, ...some }),
    release: (id: unknown) => post(`/budgets/holds/${String(id)}/release`, {}),
    renew: (ids: readonly unknown[]) => post('/budgets/holds/renew', { ids }),
  }
}

const holdBody = {
  runId: null,
  model: 'paid',
  operation: 'chat/completions',
  inputTokens: 100_000,
  maxOutputTokens: 200_000,
}
const usage = { inputTokens: 50_000, outputTokens: 100_000, cachedTokens: 0, reasoningTokens: 0 }
const settleBody = { usage, provider: null, estimated: false, outcome: 'succeeded' }
