import type { TestContext } from 'node:test'
import { Value } from 'typebox/value'
import { createCallers } from '#core/cluster/callers.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createRoleApp } from '#core/host/role/role-server.ts'
import { stateContext } from '#core/host/role/state-context.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { addLaunchedAgent, tokenOf } from '#plugins/budgets/testing/state-role.ts'
import type { LaunchedAgent } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { runs } from '#plugins/runs/index.ts'
import { runsProjection } from '#plugins/runs/projections.ts'
import { createDatabase } from '#test/harness/database.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { memoryJobs } from '../jobs.ts'
import { agentMemory } from '../index.ts'
import { memorySettings } from '../contract/settings.ts'
import type { MemorySettings } from '../contract/settings.ts'

const migrationsOf = (name: string) => ({ name, migrations: new URL(`../../${name}/migrations/`, import.meta.url) })
const limits = {
  perCallerPerMinute: 1_000_000,
  perAddressPerMinute: 1_000_000,
  rejectedPerAddressPerMinute: 1_000_000,
  underWay: 2_000,
  streams: 1,
}

/** Options of `startMemoryRole`. */
export interface MemoryRoleOptions {
  readonly stateStore?: StateStore | undefined
  readonly gatewayUrl?: string
  readonly settings?: Partial<MemorySettings>
}

/** The state role with its own account, on a real kube-apiserver and PostgreSQL; everything ends with the test. */
export async function startMemoryRole(t: TestContext, options: MemoryRoleOptions = {}) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const connect = (bearer: string): KubeClient => createKubeClient({ server: kube.url, pool, bearer })
  const admin = connect(kube.tokens['admin'] ?? '')
  await applyShipped(kube, 'namespace', 'service-accounts', 'state')
  const database = await openDatabase({ url: await createDatabase(t), connections: 20 })
  const cluster = { name: 'cluster', migrations: clusterMigrations }
  await migrate(database, [storeMigrations, cluster, migrationsOf('runs'), migrationsOf('memory')])
  const store = createStore(database, { projections: [runsProjection] })
  const core = {
    role: 'state',
    install: 'test',
    profile: 'open',
    version: '0.0.0',
    log: createLogger({ level: 'warn', destination: { write: (line: string) => t.diagnostic(line.trim()) } }),
    metrics: createMetrics(),
    keys: memoryKeyring(),
    now: () => new Date(),
    store,
    bus: createMemoryBus(),
    observed: createObserved(store),
    cluster: createCallers({ server: kube.url, pool }),
    urls: { gateway: options.gatewayUrl ?? 'http://127.0.0.1:9', state: '', bff: '' },
    extensions: () => [],
    contributed: () => [],
  } as unknown as CoreWith<readonly ['store']>
  const wired = { wiring: 'ready' } as const
  const settings = { ...Value.Create(memorySettings), ...options.settings }
  const built = [
    { plugin: runs as AnyPlugin, services: runs.create(core, Value.Create(runs.settings), {}), wired },
    { plugin: agentMemory as AnyPlugin, services: agentMemory.create(core, settings, { runs: undefined }), wired },
  ]
  const own = await tokenOf(admin, 'mesh-system', 'mesh-state')
  const identity = createOwnIdentity({ cluster: connect(own) })
  const platform = {
    callers: core.cluster as never,
    store,
    directory: undefined,
    identity,
    serves: () => true,
    stateStore: options.stateStore,
    ownBearer: async () => own,
  }
  const { app } = await createRoleApp({
    role: 'state',
    core,
    platform,
    built,
    settings: { limits: { ...limits, streamsPerUser: 1 } },
    thirdParty: new Set(),
    checkResponses: true,
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    app.server.closeAllConnections()
    await app.close()
    await database.close()
    await pool.close()
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
