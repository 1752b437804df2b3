import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import OpenAI from 'openai'
import { sql } from 'kysely'
import { createCallers } from '#core/cluster/callers.ts'
import { createDirectory } from '#core/cluster/namespace-directory.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { createOwnIdentity } from '#core/cluster/token-review.ts'
import { runStores } from '#core/controllers/follow-stores.ts'
import { createObjectStores } from '#core/controllers/watch/object-stores.ts'
import { createSealed } from '#core/signing/sealed.ts'
import { createTaskQueue } from '#core/tasks/task-queue.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { UnenforcedField } from '#core/plugin/enforced-fields.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { Contribution, Point } from '#core/jobs/extension-point.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { createMigrated } from '#core/database/testing/databases.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { createTestCore, serveRole } from '#test/harness/role.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import { providers } from '../index.ts'
import { createServices } from '../services/create-services.ts'

let count = 0

/** The gateway role with this plugin on a real kube-apiserver and PostgreSQL; everything ends with the test. */
export async function startGateway(
  t: TestContext,
  contributed: readonly Contribution[] | ((core: Core) => readonly Contribution[]) = [],
  allow: readonly string[] = ['127.0.0.0/8'],
) {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const run = async (...args: string[]): Promise<string> => {
    const result = await kubectl(config, args)
    assert.equal(result.code, 0, result.stderr)
    return result.stdout.trim()
  }
  await applyShipped(kube, 'developer', 'gateway')
  const names = { a: `gw-${process.pid}-${++count}-a`, b: `gw-${process.pid}-${count}-b` }
  for (const name of Object.values(names)) await run('create', 'namespace', name)
  await run('create', 'rolebinding', 'dev', '-n', names.a, '--clusterrole=mesh-developer', '--user=developer')
  const own = { name: 'providers', migrations: new URL('../migrations/', import.meta.url) }
  const sources = [{ name: 'cluster', migrations: clusterMigrations }, own]
  const database = await openDatabase({ url: await createMigrated(t, sources) })
  const callers = createCallers({ server: kube.url, pool })
  const lines: string[] = []
  const spans: EndedSpan[] = []
  const values: Contribution[] = []
  const observed = {
    find: async (kind: string, namespace: string, name: string) => ({
      uid: `uid-of-${name}`,
      kind,
      namespace,
      name,
      resourceVersion: '1',
    }),
    namespaceUid: async () => undefined,
  }
  const store = createStore(database, { projections: [] })
  // As recorded by a manager.
  for (const [n, name] of Object.values(names).entries())
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${`uid-${n}`}, 'Namespace', '', ${name}, '1', '')`.execute(database.root)
  const unenforced: UnenforcedField[] = []
  const core: Core = createTestCore(t, {
    role: 'gateway',
    log: createLogger({ level: 'debug', currentTrace, destination: { write: (line) => lines.push(line) } }),
    sealed: createSealed(memoryKeyring(), 'providers'),
    store,
    bus: createMemoryBus(),
    tasks: createTaskQueue(database),
    cluster: callers,
    observed,
    // Upstreams of these tests listen on loopback.
    outbound: createOutbound({ allow }),
    urls: { gateway: '', state: '', bff: '' },
    descriptors: () => new Map(),
    eventTypes: () => new Map(),
    eventRights: () => ({ maySee: async () => false, typesIn: async () => new Set() }),
    kinds: () => [],
    plugins: () => new Map(),
    unenforced: () => unenforced,
    contributed: <T>(point: Point<T>) =>
      values.filter((value) => value.point === point.name).map(({ value }) => ({ plugin: 'test', value: value as T })),
    extensions: <T>(point: Point<T>) =>
      values.filter((value) => value.point === point.name).map((value) => value.value as T),
  })
  const settings = {
    connect: { enabled: true },
    firstByteTimeout: 1,
    idleTimeout: 120,
    connections: 16,
    bodyLimit: 1024 * 1024,
    filterLimit: 64 * 1024,
    agentTimeout: 5,
  }
  const services = createServices(core, settings)
  values.push(...(typeof contributed === 'function' ? contributed(core) : contributed))
  values.push(...(providers.contributions?.(services) ?? []))
  const asked: string[] = []
  const identity = createOwnIdentity({ cluster: noteGets(admin, asked) })
  const stores = createObjectStores(
    identity.cluster,
    (providers.gatewayStores ?? []).map((resource) => ({ resource })),
  )
  const stop = new AbortController()
  const followed = runStores(stores, { cluster: identity.cluster, log: core.log, signal: stop.signal })
  await followed.synced
  const url = await serveRole(t, {
    role: 'gateway',
    core,
    platform: {
      callers,
      store: core.store,
      directory: createDirectory(store),
      identity,
    },
    stores,
    tracer: createTracer((span) => spans.push(span)),
    built: [{ plugin: providers, services, wired: { wiring: 'ready' } }],
    close: async () => {
      stop.abort()
      await followed.done
      await providers.close?.(services)
      await database.close()
      await pool.close()
    },
  })
  const client = (token: string, headers: Record<string, string> = {}) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0, defaultHeaders: headers })
  return {
    url,
    admin,
    kube,
    metrics: () => core.metrics.render(),
    /** Objects that the gateway read from the API server, as `plural/name`. */
    asked,
    lines,
    spans,
    run,
    /** Fields of agents whose plugin is off. */
    unenforced,
    namespaces: names,
    as: (who: string, headers: Record<string, string> = { 'x-mesh-namespace': names.a }) =>
      client(kube.tokens[who] ?? '', headers),
    client,
    /** Resolves with the events of model calls once the wanted number or rows exist: events are written after the response. */
    metered: async (wanted: number | ((rows: readonly MeteredRow[]) => boolean)) => {
      const isThere = (rows: readonly MeteredRow[]) =>
        typeof wanted === 'number' ? rows.length >= wanted : wanted(rows)
      const read = () =>
        sql<MeteredRow>`
          SELECT type, data FROM events ORDER BY position`.execute(database.root)
      let { rows } = await read()
      while (!isThere(rows)) ({ rows } = await read())
      return rows
    },
  }
}

function noteGets(cluster: KubeClient, asked: string[]): KubeClient {
  const get: KubeClient['get'] = (resource, ref, options) => {
    asked.push(`${resource.plural}/${ref.name}`)
    return cluster.get(resource, ref, options)
  }
  return { ...cluster, get }
}

interface MeteredRow {
  readonly type: string
  readonly data: Record<string, unknown>
}

/** The error that the SDK throws for a refused call. */
export async function refused(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await work
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  throw new Error('was not refused')
}

/** Creates a Secret with a provider's key, as in docs/operations/model-providers.md. Without an origin it is an ordinary Secret. */
export async function addKey(
  gateway: { run(...args: string[]): Promise<string> },
  namespace: string,
  { name, key, origin }: { name: string; key: string; origin?: string },
): Promise<void> {
  await gateway.run('create', 'secret', 'generic', name, '-n', namespace, `--from-literal=key=${key}`)
  if (origin === undefined) return
  await gateway.run('label', 'secret', name, '-n', namespace, 'mesh.dev/provider-key=true')
  await gateway.run('annotate', 'secret', name, '-n', namespace, `mesh.dev/origin=${origin}`)
}

/** Creates a ModelProvider and a ModelRoute of the same name. */
export async function addRoute(
  admin: KubeClient,
  namespace: string,
  name: string,
  parts: { provider: object; route?: object },
): Promise<void> {
  const route = { providerRef: { name }, model: 'test-1', ...parts.route }
  await addTargets({ admin }, namespace, name, { providers: { [name]: parts.provider }, route })
}

/** Creates ModelProviders, and a ModelRoute with this spec. */
export async function addTargets(
  gateway: { readonly admin: KubeClient },
  namespace: string,
  name: string,
  { providers: given, route }: { readonly providers: Readonly<Record<string, object>>; readonly route: object },
): Promise<void> {
  const place = parseLabel('namespace', namespace)
  const resource = { group: 'mesh.dev', version: 'v1alpha1', namespaced: true }
  const create = (kind: string, plural: string, object: { readonly name: string; readonly spec: object }) =>
    gateway.admin.create(
      { ...resource, plural, kind },
      { apiVersion: API_VERSION, kind, metadata: { name: object.name, namespace: place }, spec: object.spec },
    )
  for (const [provider, spec] of Object.entries(given))
    await create('ModelProvider', 'modelproviders', { name: provider, spec })
  await create('ModelRoute', 'modelroutes', { name, spec: route })
}

/** Creates a declarative agent; resolves with its uid. */
export async function addAgent(
  admin: KubeClient,
  namespace: string,
  name: string,
  model: object = { route: 'mock' },
): Promise<string> {
  const metadata = { name, namespace: parseLabel('namespace', namespace) }
  const resource = {
    group: 'mesh.dev',
    version: 'v1alpha1',
    plural: 'agentdeployments',
    kind: 'AgentDeployment',
    namespaced: true,
  }
  const agent: KubeObject = {
    apiVersion: API_VERSION,
    kind: 'AgentDeployment',
    metadata,
    spec: { model },
  }
  return (await admin.create(resource, agent)).metadata.uid ?? ''
}

/** HTTP server of a provider with the responses of the test. */
export async function startUpstream(
  t: TestContext,
  reply: (response: ServerResponse, body: Record<string, unknown>, headers: IncomingHttpHeaders) => void,
) {
  const seen: { body: Record<string, unknown>; text: string; headers: IncomingHttpHeaders; url: string | undefined }[] =
    []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = JSON.parse(text) as Record<string, unknown>
    seen.push({ body, text, headers: request.headers, url: request.url })
    reply(response, body, request.headers)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen, server }
}
