import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { stateContext } from '#core/host/role/state-context.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import { addLaunchedAgent } from '#plugins/budgets/testing/state-role.ts'
import type { LaunchedAgent } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { runs } from '#plugins/runs/index.ts'
import { runsProjection } from '#plugins/runs/projections.ts'
import { createTestCore, serveRole, startStateCluster } from '#test/harness/role.ts'
import { memoryJobs } from '../jobs.ts'
import { agentMemory } from '../index.ts'
import { memorySettings } from '../contract/settings.ts'
import type { MemorySettings } from '../contract/settings.ts'

const migrationsOf = (name: string) => ({ name, migrations: new URL(`../../${name}/migrations/`, import.meta.url) })
/** Options of `startMemoryRole`. */
export interface MemoryRoleOptions {
  readonly stateStore?: StateStore | undefined
  readonly gatewayUrl?: string
  readonly settings?: Partial<MemorySettings>
}

/** The state role with its own account, on a real kube-apiserver and PostgreSQL; everything ends with the test. */
export async function startMemoryRole(t: TestContext, options: MemoryRoleOptions = {}) {
  const cluster = await startStateCluster(t)
  const { kube, admin, callers, identity, ownToken } = cluster
  const index = { name: 'cluster', migrations: clusterMigrations }
  const databaseUrl = await createMigrated(t, [index, migrationsOf('runs'), migrationsOf('memory')])
  const database = await openDatabase({ url: databaseUrl, connections: 20 })
  const store = createStore(database, { projections: [runsProjection] })
  const core = createTestCore(t, {
    role: 'state',
    store,
    bus: createMemoryBus(),
    observed: createObserved(store),
    cluster: callers,
    urls: { gateway: options.gatewayUrl ?? 'http://127.0.0.1:9', state: '', bff: '' },
  }) as CoreWith<readonly ['store']>
  const wired = { wiring: 'ready' } as const
  const settings = { ...Value.Create(memorySettings), ...options.settings }
  const built = [
    { plugin: runs as AnyPlugin, services: runs.create(core, Value.Create(runs.settings), {}), wired },
    { plugin: agentMemory as AnyPlugin, services: agentMemory.create(core, settings, { runs: undefined }), wired },
  ]
  const platform = {
    callers,
    store,
    directory: undefined,
    identity,
    serves: () => true,
    stateStore: options.stateStore,
    ownBearer: async () => ownToken,
  }
  const url = await serveRole(t, {
    role: 'state',
    core,
    platform,
    built,
    close: async () => {
      await database.close()
      await cluster.close()
    },
  })
  const services = agentMemory.create(core, settings, { runs: undefined })
  const stateJobs = memoryJobs(services, stateContext(agentMemory as AnyPlugin, { core, platform, built }))
  return { url, admin, database, store, kube, stateJobs, metrics: () => core.metrics.render() }
}

/** Creates an agent with memory, or without, and its namespace. */
export async function addRememberingAgent(
  admin: KubeClient,
  { namespace, name, memory: bound }: { readonly namespace: string; readonly name: string; readonly memory?: object },
): Promise<LaunchedAgent> {
  await apply(admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const spec = { model: { route: 'any' }, ...(bound === undefined ? {} : { memory: bound }) }
  return addLaunchedAgent(admin, { namespace, name }, spec)
}

/** Calls the state role as a launcher does. */
export function createPodClient(url: string, token: string) {
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: JSON.parse(text) as Record<string, unknown> }
  }
  const of = (conversation: string): string => `/memory/conversations/${encodeURIComponent(conversation)}`
  return {
    send,
    append: (conversation: string, entry: unknown) => send('POST', `${of(conversation)}/entries`, { entry }),
    read: (conversation: string) => send('GET', of(conversation)),
    find: (conversation: string, q: string) => send('GET', `${of(conversation)}/search?q=${encodeURIComponent(q)}`),
    remember: (item: object, headers = {}) => send('POST', '/memory/items', item, headers),
    recall: (query: object, headers = {}) => send('POST', '/memory/items/search', query, headers),
  }
}
