import type { FastifyInstance } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import type { RequestLimits } from '#core/config/request-limits.ts'
import { registerMethodNotAllowed } from '#core/http/reply/method-not-allowed.ts'
import { httpOutcome } from '#core/http/endpoint/extension-points.ts'
import { createFindCallingAgent } from '#core/cluster/calling-agent.ts'
import type { ObjectStores } from '#core/controllers/watch/object-stores.ts'
import { coreEndpoints, coreOwner } from '#core/http/health.ts'
import { mountRoutes } from '#core/http/mount-routes.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Mountable } from '#core/http/endpoint/mountable.ts'
import { createServer } from '#core/http/server.ts'
import type { HttpServices } from '#core/http/endpoint/server-context.ts'
import { createStreamRegistry } from '#core/http/limits/stream-registry.ts'
import type { StreamRegistry } from '#core/http/limits/stream-registry.ts'
import type { CoreSettings } from '#core/config/core-settings.ts'
import { errorFormat } from '#core/http/problem/error-format.ts'
import type { MountedEndpoint } from '#core/http/endpoint/mounted-endpoint.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { oauthClientRoute } from '#core/http/console/oauth-client.ts'
import { consoleRoutes } from '#core/http/console/routes.ts'
import { createSessions } from '#core/http/sessions/create-sessions.ts'
import type { Sessions } from '#core/http/sessions/create-sessions.ts'
import { oidcOf } from '#core/http/sessions/oidc/create-oidc.ts'
import type { SignInWays } from '#core/http/sessions/sign-in-ways.ts'
import { openApiRoutes } from '#core/http/openapi/routes.ts'
import { refuseUngranted } from './check-authz.ts'
import { entryEndpoint } from '../console/console-entries.ts'
import type { ConsoleEntry } from '../console/console-entries.ts'
import { entriesOf, lazyPages, pagesOf } from '../console/served-pages.ts'
import { asPlugin, callSlot } from '../load/startup-error.ts'
import { absentStore } from '../load/unconfigured-store.ts'
import { usable } from '../load/role-container.ts'
import type { Built } from '../load/role-container.ts'
import type { BffContext, GatewayContext } from '#core/plugin/role-contexts.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { stateContext } from './state-context.ts'
import { informersOfPlugins } from './declare-work.ts'
import type { Platform } from '../platform/platform.ts'
import { resourceNamesOf } from '#core/plugin/access-of-plugins.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'

/** A role with a listener. */
export type ListeningRole = 'bff' | 'gateway' | 'state' | 'manager'

/** Input of a role's server. */
export interface RoleAppInput {
  readonly role: ListeningRole
  readonly core: Core
  readonly platform: Pick<
    Platform,
    'callers' | 'store' | 'directory' | 'identity' | 'serves' | 'stateStore' | 'objects' | 'ownBearer'
  > &
    Partial<Pick<Platform, 'endpoints'>>
  readonly built: readonly Built[]
  /** Objects that the gateway reads from memory. */
  readonly stores?: ObjectStores | undefined
  readonly settings: {
    /** Undefined: no sessions. */
    readonly sessions?: CoreSettings['sessions']
    /** False: the BFF serves no console. */
    readonly ui?: boolean
    readonly limits: RequestLimits & Pick<CoreSettings['limits'], 'streams' | 'streamsPerUser'>
    readonly listen?: Pick<CoreSettings['listen'], 'trustProxy' | 'managerTls'>
  }
  readonly tracer?: Tracer | undefined
  readonly accessLog?: boolean
  readonly thirdParty: ReadonlySet<string>
  readonly checkResponses: boolean
  readonly hosts?: readonly string[] | undefined
  /** Ways to sign in, of the embedded default. */
  readonly signIn?: SignInWays | undefined
}

/** Server of a role and its streams. */
export interface RoleApp {
  readonly app: FastifyInstance
  readonly streams: StreamRegistry
  readonly catalog: readonly MountedEndpoint[]
}

/** Whether any plugin has routes for the manager's listener. */
export function hasManagerRoutes(built: readonly Built[]): boolean {
  const listening = { role: 'manager', informers: () => [], serves: () => true } as const
  // Any value except an empty list is mounted, or refused when it is mounted.
  return usable(built).some(({ plugin, services }) => {
    const declared: unknown = callSlot(plugin, 'managerRoutes', () => plugin.managerRoutes?.(services, listening))
    return declared !== undefined && !(Array.isArray(declared) && declared.length === 0)
  })
}

/** Purpose of each plugin, by name. */
export function summariesOf(plugins: readonly AnyPlugin[]): ReadonlyMap<string, string> {
  const ofPlugins = plugins.flatMap(({ name, summary }) => (summary === undefined ? [] : [[name, summary] as const]))
  return new Map([[coreOwner.plugin, 'Liveness of the installation.'], ...ofPlugins])
}

/** Codes of the errors that plugins declare. */
export function errorCodesOf(plugins: readonly AnyPlugin[]): readonly string[] {
  return plugins.flatMap(({ errors = {} }) => Object.keys(errors))
}

/** Creates the server of a role with the routes of every plugin, without listening. */
export async function createRoleApp(input: RoleAppInput): Promise<RoleApp> {
  const { core, platform, settings, role } = input
  const streams = createStreamRegistry(
    { total: settings.limits.streams, perUser: settings.limits.streamsPerUser },
    core.metrics,
  )
  const catalog: MountedEndpoint[] = []
  const sessions = sessionsOf(input)
  const services: HttpServices = {
    cluster: core.cluster,
    sessions: sessions?.reader,
    ...authenticatorOf(input),
    keys: core.keys,
    log: core.log,
    metrics: core.metrics,
    tracer: input.tracer,
    continuesTraces: role !== 'bff',
    acceptsApiKey: role === 'gateway',
    accessLog: input.accessLog ?? false,
    store: platform.store,
    directory: platform.directory,
    streams,
    catalog,
    outcomes: () => core.extensions(httpOutcome),
    names: resourceNamesOf(input.built.map(({ plugin }) => plugin)),
    errorFormat: core.extensions(errorFormat).find((format) => format.role === role),
    checkResponses: input.checkResponses,
  }
  const tls = role === 'manager' ? settings.listen?.managerTls : undefined
  const app = await createServer({
    services,
    limits: settings.limits,
    hosts: input.hosts,
    tls,
    ...(settings.listen === undefined ? {} : { trustProxy: settings.listen.trustProxy }),
  })
  if (role === 'bff') await mountRoutes(app, coreEndpoints, { ...coreOwner, prefix: '/api' })
  const console = lazyPages()
  const entries = role === 'bff' ? entriesOf(input) : []
  const hidden: string[] = []
  for (const built of input.built)
    hidden.push(...(await mountPlugin(app, built, input, { catalog, entries, pages: console.read })))
  if (role === 'bff') {
    console.set(pagesOf(input, { catalog, hidden }, entries))
    if (core.publicUrl?.startsWith('https:') === true) await app.register(oauthClientRoute(core.publicUrl))
    if (settings.ui !== false) await app.register(consoleRoutes(console.read().map(({ path }) => path)))
  }
  const plugins = input.built.map(({ plugin }) => plugin)
  if (role === 'bff') refuseUngranted(plugins, input.thirdParty, catalog)
  const shown = { version: core.version, summaries: summariesOf(plugins), errorCodes: errorCodesOf(plugins) }
  if (role === 'bff') await app.register(openApiRoutes({ catalog, ...shown, hasHome: settings.ui !== false }))
  if (sessions !== undefined) await app.register(sessions.routes)
  registerMethodNotAllowed(app, catalog)
  await app.ready()
  return { app, streams, catalog }
}

// Without a store, no session could be ended.
function sessionsOf({ role, core, platform: { store }, settings, signIn = {} }: RoleAppInput): Sessions | undefined {
  if (role !== 'bff' || store === undefined || settings.sessions === undefined) return undefined
  const { keys, log, install, now } = core
  const outcomes: HttpServices['outcomes'] = () => core.extensions(httpOutcome)
  const { sessions } = settings
  const oidc = oidcOf(sessions, core.outbound, now)
  const services = { keys, log, outcomes, store }
  return createSessions({ services, settings: sessions, install, now, ways: signIn, oidc })
}

// The BFF authenticates callers at the cluster, the state role pods with a token for its audience, the gateway both.
function authenticatorOf({
  role,
  core,
  platform,
}: RoleAppInput): Pick<HttpServices, 'identify' | 'knows' | 'findAgent'> {
  const { identity } = platform
  const knowsCaller = (bearer: string): boolean => core.cluster.knows?.(bearer) === true
  if (role === 'bff' || identity === undefined) return { knows: knowsCaller }
  return {
    ...(role === 'state' ? { findAgent: createFindCallingAgent(identity) } : {}),
    // At the gateway a token for another audience may be that of a caller.
    knows: (bearer) =>
      identity.knows(bearer, role) || (role === 'gateway' ? knowsCaller(bearer) : identity.excludes(bearer, role)),
    identify: async (bearer) => {
      const pod = await identity.authenticate(bearer, role)
      if (pod !== undefined) return pod.username
      if (role === 'state') throw new Fail('unauthenticated')
      return (await core.cluster.as(bearer)).username
    },
  }
}

/** Returns the capabilities of its hidden parts. */
async function mountPlugin(
  app: FastifyInstance,
  built: Built,
  input: RoleAppInput,
  mounted: Mounted,
): Promise<readonly string[]> {
  const { plugin, wired } = built
  if (wired.wiring === 'hidden') return []
  const { wiring, reason, setting } = wired
  const prefix = prefixOf(plugin.name, input)
  const why = { ...(reason === undefined ? {} : { reason }), ...(setting === undefined ? {} : { setting }) }
  const owner = { plugin: plugin.name, wiring, ...why, prefix }
  const slot = routeSlots[input.role]
  return asPlugin(plugin, slot, async () => {
    // The routes of kinds first, then those of the slot, which may not be a list if the plugin is untyped.
    const ofKinds = input.role === 'bff' ? (plugin.kinds ?? []).flatMap(({ endpoints }) => endpoints) : []
    const ofPages = mounted.entries.filter((entry) => entry.plugin === plugin).map(entryEndpoint)
    await mountRoutes(app, [...ofKinds, ...storedRoutesOf(built, input), ...ofPages], owner)
    return plugin[slot] === undefined ? [] : mountRoutes(app, routesOf(built, input, mounted), owner)
  })
}

function storedRoutesOf({ plugin, services }: Built, { role, core }: RoleAppInput): readonly AnyEndpoint[] {
  if (role !== 'bff') return []
  const { store = absentStore, observed, now } = core
  return (plugin.stored ?? []).flatMap(({ routes }) => routes({ store, observed, now }, services))
}

const routeSlots = { bff: 'routes', gateway: 'gatewayRoutes', state: 'stateRoutes', manager: 'managerRoutes' } as const

function prefixOf(name: string, { role, thirdParty }: RoleAppInput): string {
  if (role !== 'bff') return thirdParty.has(name) ? `/x/${name}` : ''
  return thirdParty.has(name) ? `/api/x/${name}` : '/api'
}

function routesOf(
  { plugin, services }: Built,
  input: RoleAppInput,
  mounted: Mounted,
): readonly Mountable[] | undefined {
  const { platform } = input
  if (input.role === 'bff') return plugin.routes?.(services, bffContext(platform, mounted))
  if (input.role === 'manager')
    return plugin.managerRoutes?.(services, {
      role: 'manager',
      informers: () => (platform.identity === undefined ? [] : informersOfPlugins(input.built)),
      serves: platform.serves ?? (() => true),
    })
  if (input.role === 'state') return plugin.stateRoutes?.(services, stateContext(plugin, input))
  if (platform.identity === undefined) throw new Error(`the role ${input.role} has no identity of its own`)
  const own = platform.identity
  const { callers, directory } = platform
  const cluster = input.stores?.cluster ?? own.cluster
  const callerOf: GatewayContext['callerOf'] = (bearer) => callers.as(bearer)
  const gateway: GatewayContext = { ...own, cluster, role: 'gateway', directory, callerOf }
  return plugin.gatewayRoutes?.(services, gateway)
}

/** Known when every plugin is mounted. */
interface Mounted {
  readonly catalog: readonly MountedEndpoint[]
  /** Declarations of console pages, which are routes too. */
  readonly entries: readonly ConsoleEntry[]
  readonly pages: BffContext['pages']
}

function bffContext(platform: RoleAppInput['platform'], { catalog, pages }: Mounted): BffContext {
  return {
    pages,
    role: 'bff',
    directory: platform.directory ?? emptyDirectory,
    objects: platform.objects,
    catalog: () => catalog,
  }
}

// Without a store no namespaces are recorded, so none is returned.
const emptyDirectory: BffContext['directory'] = {
  namesAfter: async () => [],
  permitted: async () => ({ lastName: undefined }),
}
