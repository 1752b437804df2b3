import type { FastifyInstance } from 'fastify'
import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '#core/config/profile.ts'
import type { Settings } from '#core/config/settings.ts'
import type { EventType } from '#core/event-store/event.ts'
import { checkedResponses } from '#core/http/reply/validate-response.ts'
import type { SignInWays } from '#core/http/sessions/sign-in-ways.ts'
import type { GuardOptions } from '#core/http-client/guard.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { createMetrics } from '#core/telemetry/prom-metrics.ts'
import { currentTrace } from '#core/telemetry/trace-context.ts'
import { createAdminServer } from '../role/admin-server.ts'
import { startLiveness } from '../probes/liveness.ts'
import type { Liveness } from '../probes/liveness.ts'
import { drainApps } from './drain-apps.ts'
import { hostOf, listenAdmin, listenRole, servedHosts, toUrl } from './listen.ts'
import { checkKinds } from '../load/check-kinds.ts'
import { loadOrder } from '../load/load-order.ts'
import type { OpenPlatform } from '../platform/platform.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { createReadiness } from '../role/readiness.ts'
import type { Readiness } from '../role/readiness.ts'
import { buildRole } from '../role/role.ts'
import type { RunningRole } from '../role/role.ts'
import type { RebuildRequest, RoleInput } from '../role/role-cradle.ts'

/** A process of the platform: one role, or several with a container each. */
export interface HostOptions {
  /** Roles in start order, dependencies first (`migrate`, `state`, `manager`, `worker`, `gateway`, `bff`). */
  readonly roles: readonly Role[]
  readonly plugins: readonly AnyPlugin[]
  readonly settings: Settings
  readonly openPlatform: OpenPlatform
  readonly keys: Keyring
  readonly version: string
  readonly log?: Logger
  readonly metrics?: Metrics
  readonly tracer?: Tracer | undefined
  readonly now?: () => Date
  /** Event types of core (those of the informers). */
  readonly coreEventTypes?: readonly EventType[]
  /** Names of third-party plugins; their routes are below `/api/x/<name>`. */
  readonly thirdParty?: ReadonlySet<string>
  /** Rules for calls to addresses of users; default: public addresses only. */
  readonly outbound?: GuardOptions
  /** Ways to sign in at the BFF, besides those of the settings. */
  readonly signIn?: SignInWays
  /** Uses a free port if the configured one is taken, instead of failing. */
  readonly mayMovePorts?: boolean
  /** The role `migrate` rebuilds this projection instead. */
  readonly rebuild?: RebuildRequest
}

/** Base URLs of the listeners of a process. */
export type Addresses = Readonly<
  Partial<Record<'bff' | 'gateway' | 'state' | 'manager' | 'admin' | 'liveness', string>>
>

/** A process that can be started once. */
export interface Host {
  /**
   * Creates and starts every role. Listens early, and resolves when all background work runs, however long store and bus take. The error of
   * a failing plugin names it, and everything started is closed.
   */
  start(): Promise<void>
  /** Resolves when the manager has processed every object present at startup. */
  synced(): Promise<void>
  /** Fails readiness first, then ends streams with a retry hint and waits for requests in progress. */
  drain(): Promise<void>
  /** Closes everything in reverse order. */
  close(): Promise<void>
  ready(): Promise<Readiness>
  addresses(): Addresses
  app(role: 'bff' | 'gateway' | 'state' | 'manager'): FastifyInstance | undefined
}

/** Creates the host of a process; nothing happens before `start`. */
export function createHost(options: HostOptions): Host {
  const log = options.log ?? createLogger({ level: options.settings.core.logLevel, currentTrace })
  const metrics = options.metrics ?? createMetrics({ process: true })
  const { settings } = options
  const addresses: Partial<Record<keyof Addresses, string>> = {}
  const roles: RunningRole[] = []
  let state: 'new' | 'starting' | 'ready' | 'draining' = 'new'
  let closing: Promise<void> | undefined
  let liveness: Liveness | undefined

  const refuseClosed = (): void => {
    if (state !== 'starting') throw new Error('closed during startup')
  }
  const watching = new AbortController()
  const readiness = createReadiness({
    processReason: () => (state === 'ready' ? undefined : state),
    dependencies: () => new Map(roles.flatMap((role) => Object.entries(role.checks))),
    notes: () => [...new Set(roles.flatMap((role) => role.notes))],
    log,
    metrics,
  })
  const admin = createAdminServer({ readiness: readiness.read, metrics, hosts: servedHosts(options) })

  const close = async (): Promise<void> => {
    state = 'draining'
    watching.abort()
    const failed: unknown[] = []
    for (const role of roles.toReversed()) await role.close().catch((error: unknown) => failed.push(error))
    await closeServer(admin)
    await liveness?.close()
    if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('; '))
  }

  return {
    start: async () => {
      if (state !== 'new') throw new Error('a host starts once')
      state = 'starting'
      try {
        checkKinds(options.plugins)
        liveness = await openLiveness(options, log)
        if (liveness !== undefined) addresses.liveness = toUrl(hostOf(options), liveness.port)
        const input = roleInput(options, { log, metrics, addresses })
        addresses.admin = await listenAdmin(admin, options)
        for (const name of options.roles) {
          const role = await buildRole(name, input)
          roles.push(role)
          refuseClosed()
          if (name !== 'migrate') await listenRole(role, options, addresses)
          // Migrations run once; their connections are closed before other roles start.
          else await role.start().finally(() => roles.pop()?.close())
        }
        await Promise.all(roles.map((role) => role.start()))
        refuseClosed()
        state = 'ready'
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void readiness.watch(watching.signal)
        for (const note of new Set(roles.flatMap((role) => role.notes))) log.info({}, note)
        log.info({ roles: options.roles, ...addresses }, 'ready')
      } catch (error) {
        closing ??= close()
        await closing.catch(() => undefined)
        throw error
      }
    },
    synced: async () => {
      await Promise.all(roles.map((role) => role.synced()))
    },
    drain: async () => {
      state = 'draining'
      const { delaySeconds, graceSeconds } = settings.core.drain
      // Load balancers observe the failed readiness within this time; until then every request is served.
      await delay(delaySeconds * 1000)
      for (const role of roles) role.drain()
      const apps = roles.flatMap(({ app }) => (app === undefined ? [] : [app]))
      await drainApps(apps, { delaySeconds, graceSeconds })
    },
    close: () => (closing ??= close()),
    ready: () => readiness.read(),
    addresses: () => addresses,
    app: (name) => roles.find(({ role }) => role === name)?.app,
  }
}

function roleInput(
  options: HostOptions,
  own: Pick<RoleInput, 'log' | 'metrics'> & { addresses: Addresses },
): RoleInput {
  const { urls } = options.settings.core
  // Read when used, since the port may be any free one.
  const url = (role: 'bff' | 'gateway' | 'state', preset: string): string => urls[role] ?? own.addresses[role] ?? preset
  return {
    ordered: loadOrder(options.plugins),
    settings: options.settings,
    openPlatform: options.openPlatform,
    log: own.log,
    metrics: own.metrics,
    tracer: options.tracer,
    keys: options.keys,
    now: options.now ?? (() => new Date()),
    version: options.version,
    urls: {
      get bff() {
        return url('bff', 'http://mesh-bff:8080')
      },
      get gateway() {
        return url('gateway', 'http://mesh-gateway:4000')
      },
      get state() {
        return url('state', 'http://mesh-state:3002')
      },
    },
    outbound: {
      allow: [],
      ...options.outbound,
      ownUrls: () => [...Object.values(own.addresses), ...(options.outbound?.ownUrls?.() ?? [])],
    },
    coreEventTypes: options.coreEventTypes ?? [],
    thirdParty: options.thirdParty ?? new Set(),
    checkResponses: checkedResponses.hasSubscribers,
    hosts: servedHosts(options),
    ...(options.signIn === undefined ? {} : { signIn: options.signIn }),
    ...(options.rebuild === undefined ? {} : { rebuild: options.rebuild }),
  }
}

async function openLiveness(options: HostOptions, log: Logger): Promise<Liveness | undefined> {
  const { port, blockedSeconds } = options.settings.core.liveness
  // Nothing asks a command whether it is alive, and a role of the same pod has the port.
  if (port === undefined || options.rebuild !== undefined) return undefined
  const hosts = servedHosts(options)
  return startLiveness({ host: hostOf(options), port, hosts, blockedMs: blockedSeconds * 1_000, log })
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
