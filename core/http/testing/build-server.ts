import { createSecretKey, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import { KubeError } from '#core/kube/status.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Store } from '#core/event-store/store.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import type { Mountable } from '../endpoint/mountable.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { registerMethodNotAllowed } from '../reply/method-not-allowed.ts'
import { mountRoutes } from '../mount-routes.ts'
import type { Wiring } from '../endpoint/mounted-endpoint.ts'
import type { Outcome } from '../endpoint/extension-points.ts'
import { createServer } from '../server.ts'
import type { HttpServices, SessionReader } from '../endpoint/server-context.ts'
import { createStreamRegistry } from '../limits/stream-registry.ts'
import type { StreamCaps } from '../limits/stream-registry.ts'
import type { ErrorFormat } from '../problem/error-format.ts'

/** A server of core/http whose upstream only records requests: for tests of the order of checks, not of the cluster. */
export interface TestServer {
  readonly app: FastifyInstance
  /** Requests to upstream, in order: `as`, `review list runs in default`. */
  readonly upstream: string[]
  readonly outcomes: Outcome[]
  readonly lines: string[]
  readonly services: HttpServices
}

/** One mounted plugin. */
export interface TestPlugin {
  readonly name?: string
  readonly wiring?: Wiring
  readonly endpoints: readonly Mountable[]
  /** Routes of the platform itself, such as its pages. */
  readonly pages?: FastifyPluginAsync
}

/** Real dependencies of the server, if a test has them, and its limits. */
export interface BuildOptions {
  readonly cluster?: HttpServices['cluster']
  readonly knows?: HttpServices['knows']
  readonly directory?: Directory
  readonly store?: Store
  readonly limits?: Partial<RequestLimits>
  readonly trustProxy?: readonly string[]
  readonly streams?: StreamCaps
  readonly tracer?: Tracer
  readonly continuesTraces?: boolean
  readonly errorFormat?: ErrorFormat
  readonly keys?: Keyring
  /** Creates sessions; their routes are outside `/api`. */
  readonly sessions?: (services: HttpServices) => {
    readonly reader: SessionReader
    readonly routes: FastifyPluginAsync
  }
}

/** Bearers: rejected by upstream, denied everything, and denied every read. */
export const REJECTED = 'rejected-token'
export const DENIED = 'denied-token'
export const UNREADING = 'unreading-token'

/** Builds a server from plugins and closes it with the test. */
export async function buildServer(
  t: { after(fn: () => unknown): void },
  plugins: readonly TestPlugin[],
  more: BuildOptions = {},
): Promise<TestServer> {
  const upstream: string[] = []
  const outcomes: Outcome[] = []
  const lines: string[] = []
  const metrics = createMetrics()
  const base: HttpServices = {
    cluster: more.cluster ?? { as: async (bearer) => recordingCaller(bearer, upstream) },
    knows: more.knows,
    keys: more.keys ?? testKeyring(),
    log: createLogger({ level: 'debug', currentTrace, destination: { write: (line) => lines.push(line) } }),
    metrics,
    tracer: more.tracer,
    continuesTraces: more.continuesTraces ?? false,
    store: more.store,
    directory: more.directory,
    errorFormat: more.errorFormat,
    streams: createStreamRegistry(more.streams ?? { total: 4, perUser: 2 }, metrics),
    catalog: [],
    outcomes: () => [{ record: (outcome) => outcomes.push(outcome), intend: async () => undefined }],
    checkResponses: true,
  }
  const sessions = more.sessions?.(base)
  const services: HttpServices = { ...base, sessions: sessions?.reader }
  const app = await createServer({
    services,
    limits: {
      perCallerPerMinute: 100_000,
      perAddressPerMinute: 100_000,
      rejectedPerAddressPerMinute: 100_000,
      underWay: 100,
      ...more.limits,
    },
    trustProxy: more.trustProxy ?? [],
  })
  t.after(async () => {
    const cut = setInterval(() => app.server.closeAllConnections(), 20)
    await app.close().finally(() => clearInterval(cut))
  })
  for (const { name = 'sample', wiring = 'ready', endpoints, pages } of plugins) {
    await mountRoutes(app, endpoints, { plugin: name, wiring, prefix: '/api' })
    if (pages !== undefined) await app.register(pages, { prefix: '/api' })
  }
  if (sessions !== undefined) await app.register(sessions.routes)
  registerMethodNotAllowed(app, services.catalog)
  await app.ready()
  return { app, upstream, outcomes, lines, services }
}

const usernames: Readonly<Record<string, string>> = { [DENIED]: 'denied', 'other-token': 'other' }

/** A caller whose requests are recorded. */
export function recordingCaller(bearer: string, upstream: string[]): Caller {
  const username = usernames[bearer] ?? 'test'
  upstream.push('as')
  if (bearer === REJECTED) throw new KubeError(401, 'Unauthorized', 'Unauthorized')
  const review: Caller['review'] = async (verb, resource, where) => {
    upstream.push(
      `review ${verb} ${resource} in ${where.namespace || '*'}${where.name === undefined ? '' : ` ${where.name}`}${where.group === undefined ? '' : ` (${where.group})`}`,
    )
    if (bearer === DENIED || (bearer === UNREADING && verb === 'get'))
      throw new KubeError(403, 'Forbidden', `${resource}.mesh.dev is forbidden: User "test" cannot ${verb}`)
    return { verb, resource, namespace: where.namespace, username } as Access<typeof verb, typeof resource>
  }
  return {
    username,
    bearer,
    get cluster(): never {
      throw new Error('this upstream has no cluster')
    },
    whoami: async () => ({ username, uid: '', groups: [], extra: {} }),
    rulesIn: async () => ({ complete: true, rules: [] }),
    review,
    may: async (verb, resource, where) => review(verb, resource, where).catch(() => undefined),
  }
}

/** Random keys of one test. */
export function testKeyring(): Keyring {
  const keys = new Map(
    (['cursor', 'kek'] as const).map((name) => [name, { id: `${name}-1`, key: createSecretKey(randomBytes(32)) }]),
  )
  const current: Keyring['current'] = (name) => {
    const key = keys.get(name === 'kek' ? 'kek' : 'cursor')
    if (key === undefined) throw new Error(`no key ${name}`)
    return key
  }
  return {
    current,
    find: (name, id) => (current(name).id === id ? current(name) : undefined),
    jwks: () => ({ keys: [] }),
  }
}
