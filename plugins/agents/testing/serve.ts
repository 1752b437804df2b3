import type { TestContext } from 'node:test'
import { createCallers } from '#core/cluster/callers.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { registerMethodNotAllowed } from '#core/http/reply/method-not-allowed.ts'
import { mountRoutes } from '#core/http/mount-routes.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Outcome } from '#core/http/endpoint/extension-points.ts'
import { createServer } from '#core/http/server.ts'
import { createStreamRegistry } from '#core/http/limits/stream-registry.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { resourceNamesOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { applyShipped } from '#test/harness/deploy.ts'
import { sharedKube } from '#test/harness/kube.ts'

/** A response of the API, with its JSON body read. */
export interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
  /** The body as JSON, of the type that the test expects. */
  json<T = Record<string, unknown>>(): T
}

/** Sends a request as a persona. A string body is YAML. */
export type Ask = (who: string, method: string, path: string, body?: unknown) => Promise<Answer>

/** The endpoints of one plugin on the real kube-apiserver, with the shipped personas bound in two namespaces. */
export interface ServedPlugin {
  readonly ask: Ask
  /** Listens on a free loopback port; resolves with the base URL. */
  listen(): Promise<string>
  /** The bearer token of a persona. */
  bearer(who: string): string
  readonly admin: KubeClient
  /** Client of the cluster with a persona's credentials, without the API. */
  as(who: string): KubeClient
  /** Namespace in which viewer and developer are bound. */
  readonly namespace: DnsLabel
  /** Namespace in which other-tenant is a developer. */
  readonly other: DnsLabel
  readonly outcomes: Outcome[]
  readonly catalog: readonly MountedEndpoint[]
}

let count = 0

/** Serves endpoints below `/api` without a store; the directory is a list of the two namespaces. */
export async function servePlugin(
  t: TestContext,
  plugin: string,
  endpointsOf: (catalog: () => readonly MountedEndpoint[]) => readonly AnyEndpoint[],
): Promise<ServedPlugin> {
  const kube = await sharedKube(t)
  const pool = createPool(kube.url, { ca: kube.ca })
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  await applyShipped(kube, 'viewer', 'developer', 'operator')
  const suffix = `${plugin}-${process.pid}-${++count}`
  const [namespace, other] = [parseLabel('namespace', `${suffix}-a`), parseLabel('namespace', `${suffix}-b`)]
  const operatorBinding = await bindPersonas(admin, namespace, other)
  const outcomes: Outcome[] = []
  const catalog: MountedEndpoint[] = []
  const app = await createServer({
    limits: {
      perCallerPerMinute: 100_000,
      perAddressPerMinute: 100_000,
      rejectedPerAddressPerMinute: 100_000,
      underWay: 100,
    },
    services: {
      cluster: createCallers({ server: kube.url, pool }),
      keys: testKeyring(),
      log: createLogger({ level: 'warn', destination: { write: (line) => t.diagnostic(line.trim()) } }),
      metrics: createMetrics(),
      store: undefined,
      directory: listDirectory([namespace, other]),
      streams: createStreamRegistry({ total: 100, perUser: 50 }),
      catalog,
      names: resourceNamesOf(plugins),
      outcomes: () => [{ record: (outcome) => outcomes.push(outcome), intend: async () => undefined }],
      checkResponses: true,
    },
  })
  // One hook, since hooks run in the order in which they were registered and the pool must close last.
  t.after(async () => {
    app.server.closeAllConnections()
    await app.close()
    await admin.delete(clusterRoleBindings, { name: operatorBinding })
    await pool.close()
  })
  const endpoints = endpointsOf(() => catalog)
  await mountRoutes(app, endpoints, { plugin, wiring: 'ready', prefix: '/api' })
  registerMethodNotAllowed(app, catalog)
  await app.ready()
  const ask: Ask = async (who, method, path, body) => {
    const answer = await app.inject({
      method: method as 'GET',
      url: `/api${path}`,
      headers: {
        authorization: `Bearer ${kube.tokens[who] ?? ''}`,
        ...(typeof body === 'string' ? { 'content-type': 'application/yaml' } : {}),
      },
      ...(body === undefined ? {} : { payload: body as object }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      json: <T>() => JSON.parse(answer.body) as T,
    }
  }
  const bearer = (who: string): string => kube.tokens[who] ?? ''
  const as = (who: string): KubeClient => createKubeClient({ server: kube.url, pool, bearer: bearer(who) })
  const listen = (): Promise<string> => app.listen({ host: '127.0.0.1', port: 0 })
  return { ask, listen, bearer, as, admin, namespace, other, outcomes, catalog }
}

function core(plural: string, kind: string, namespaced = true): Resource {
  return { group: '', version: 'v1', plural, kind, namespaced }
}

function rbac(plural: string, kind: string, namespaced: boolean): Resource {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', plural, kind, namespaced }
}

const clusterRoleBindings = rbac('clusterrolebindings', 'ClusterRoleBinding', false)

async function bindPersonas(admin: KubeClient, namespace: DnsLabel, other: DnsLabel): Promise<DnsLabel> {
  for (const name of [namespace, other]) {
    await admin.create(core('namespaces', 'Namespace', false), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })
  }
  const bindings = rbac('rolebindings', 'RoleBinding', true)
  await admin.create(bindings, binding('RoleBinding', 'mesh-viewer', 'viewer', namespace))
  await admin.create(bindings, binding('RoleBinding', 'mesh-developer', 'developer', namespace))
  await admin.create(bindings, binding('RoleBinding', 'mesh-developer', 'other-tenant', other))
  const name = parseLabel('name', `operator-${namespace}`)
  await admin.create(clusterRoleBindings, {
    ...binding('ClusterRoleBinding', 'mesh-operator', 'operator'),
    metadata: { name },
  })
  return name
}

function binding(
  kind: string,
  role: string,
  user: string,
  namespace?: string,
): KubeObject & { metadata: { name: string } } {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: `${user}-${role}`, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
  }
}

function listDirectory(names: readonly DnsLabel[]): Directory {
  const sorted = names.toSorted()
  return {
    namesAfter: async (after, limit) => sorted.filter((name) => name > after).slice(0, limit),
    // oxlint-disable-next-line max-params -- the signature is given by the contract
    permitted: async (caller, verb, resource, after, page) => {
      for (const namespace of sorted.filter((name) => name > after)) {
        const access = await caller.may(verb, resource, { namespace })
        if (access !== undefined && (await page(access)) === 'full') return { lastName: namespace }
      }
      return { lastName: undefined }
    },
  }
}
