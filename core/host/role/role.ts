import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Role } from '#core/config/profile.ts'
import type { Settings } from '#core/config/settings.ts'
import type { AuditDescriptor, EventType } from '#core/event-store/event.ts'
import type { GuardOptions } from '#core/http-client/guard.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import type { Running } from '#core/jobs/background-work.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { createSealed } from '#core/signing/sealed.ts'
import type { Projection } from '#core/event-store/store.ts'
import { prefixOfThirdParty } from '#core/database/table-prefix.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { keyringFor } from '../load/plugin-keys.ts'
import { createRoleContainer } from '../load/role-container.ts'
import type { RoleContainer } from '../load/role-container.ts'
import { kindsOf } from '#core/plugin/access-of-plugins.ts'
import { unenforcedFields } from '#core/plugin/enforced-fields.ts'
import type { Core, Wired } from '#core/plugin/core-services.ts'
import type { OpenPlatform, Platform } from '../platform/platform.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import type { Contributed, Point } from '#core/jobs/extension-point.ts'
import type { OwnedContribution } from '../load/check-points.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createRoleApp, hasManagerRoutes } from './role-server.ts'
import type { ListeningRole, RoleApp } from './role-server.ts'
import { allConsumers, declareWork } from './declare-work.ts'
import type { DeclaredWork, WorkingRole } from './declare-work.ts'
import { startRoleWork } from './role-background-work.ts'
import { createRunningHandlers } from './running-handlers.ts'
import { within } from '#core/async/within.ts'
import { closeBound, lateHook } from '../load/startup-error.ts'
import { wire } from '../load/plugin-availability.ts'
import { projectionsOf } from '../load/check-projections.ts'

/** Input of every role of a process; contains nothing that a role creates. */
export interface RoleInput {
  readonly ordered: readonly AnyPlugin[]
  readonly settings: Settings
  readonly openPlatform: OpenPlatform
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer?: Tracer | undefined
  readonly keys: Keyring
  readonly now: () => Date
  readonly version: string
  readonly urls: Core['urls']
  /** Rules for calls to addresses of users. */
  readonly outbound: GuardOptions
  readonly coreEventTypes: readonly EventType[]
  readonly thirdParty: ReadonlySet<string>
  /** Default: the pods of the agent's Service. */
  readonly checkResponses: boolean
  /** Host names served by listeners on loopback besides those of loopback; undefined: any. */
  readonly hosts?: readonly string[] | undefined
  readonly pages?: FastifyPluginAsync
  /** The role `migrate` rebuilds this projection instead. */
  readonly rebuild?: RebuildRequest
}

/** Projection to rebuild, and the receiver of its number of events. */
export interface RebuildRequest {
  readonly projection: string
  readonly done: (result: { readonly events: number }) => void
}

/** A created role; `start` starts its background work. */
export interface RunningRole {
  readonly role: Role
  readonly app: FastifyInstance | undefined
  readonly checks: Platform['checks']
  readonly notes: readonly string[]
  /** Resolves when all work runs, however long store and bus take. Rejects if it cannot run, or was closed. */
  start(): Promise<void>
  /** Resolves when started informers and reconcilers have processed the objects present at startup. */
  synced(): Promise<void>
  /** Ends streams with a retry hint; requests in progress continue. */
  drain(): void
  /** Stops background work, closes plugins in reverse load order, then their dependencies. */
  close(): Promise<void>
}

/** Creates a role: its dependencies, its plugins, its server. */
export async function buildRole(role: Role, input: RoleInput): Promise<RunningRole> {
  let container: RoleContainer | undefined
  const projections = (): readonly Projection[] => {
    if (container === undefined) throw new Error('the store is used before every plugin is created')
    return projectionsOf(container.built, { eventTypes, thirdParty: input.thirdParty })
  }
  const eventTypes = [...input.coreEventTypes, ...input.ordered.flatMap((plugin) => plugin.events ?? [])]
  const migrations = input.ordered.flatMap(({ name, migrations: url }): MigrationSource[] =>
    url === undefined
      ? []
      : [{ name, migrations: url, ...(input.thirdParty.has(name) ? { tablePrefix: prefixOfThirdParty(name) } : {}) }],
  )
  const platform = await input.openPlatform({ role, projections, eventTypes, migrations })
  try {
    const extensions = (): readonly OwnedContribution[] => contributionsOf(container)
    let wired: ReadonlyMap<string, Wired> = new Map()
    const plugins = () => new Map([...wired].filter(([, { wiring }]) => wiring !== 'hidden'))
    const unenforced: Core['unenforced'] = (kind) => unenforcedFields(kind, input.ordered, wired)
    const core = createCore(role, { input, platform, extensions, eventTypes, plugins, unenforced })
    const { ordered, keys, settings } = input
    const { slices } = settings
    const { disable: disabled, pluginHooks: hooks } = settings.core
    wired = await wire(ordered, { core, slices, disabled, hooks })
    container = await createRoleContainer({ core, keys, ordered, slices, wired, hooks })
    // Their conflicts end the start, not the first write.
    projections()
    const listens = isListening(role) && (role !== 'manager' || hasManagerRoutes(container.built))
    const server = listens ? await buildApp(role, { input, core, platform, container }) : undefined
    const declared = hasWork(role) ? declareWork(role, { core, platform, built: container.built }) : undefined
    return finish(role, { input, core, platform, container, server, wired, declared })
  } catch (error) {
    await container?.close().catch(() => undefined)
    await platform.close()
    throw error
  }
}

function contributionsOf(container: RoleContainer | undefined): readonly OwnedContribution[] {
  if (container === undefined) throw new Error('extensions are readable once every plugin is created')
  return container.contributions
}

interface CoreParts {
  readonly input: RoleInput
  readonly platform: Platform
  readonly extensions: () => readonly OwnedContribution[]
  readonly eventTypes: readonly EventType[]
  readonly plugins: Core['plugins']
  readonly unenforced: Core['unenforced']
}

function createCore(role: Role, parts: CoreParts): Core {
  const { input, platform, extensions, eventTypes, plugins, unenforced } = parts
  const { settings } = input
  const audited = eventTypes.flatMap(({ type, audit }): [string, AuditDescriptor][] =>
    audit === undefined ? [] : [[type, audit]],
  )
  const descriptors = new Map(audited)
  const kinds = kindsOf(input.ordered)
  const declared = new Map(eventTypes.map((one) => [one.type, one]))
  const contributed = <T>(point: Point<T>): readonly Contributed<T>[] =>
    extensions()
      .filter((one) => one.point === point.name)
      .map(({ plugin, value }) => ({ plugin, value: value as T }))
  return {
    role,
    install: settings.core.install,
    profile: settings.core.profile,
    version: input.version,
    log: input.log.child({ role }),
    metrics: input.metrics,
    keys: keyringFor(undefined, role, input.keys),
    sealed: createSealed(keyringFor(undefined, role, input.keys), 'core'),
    now: input.now,
    store: platform.store,
    bus: platform.bus,
    tasks: platform.tasks,
    cluster: platform.callers,
    observed: platform.observed,
    outbound: createOutbound(input.outbound),
    urls: input.urls,
    tracer: input.tracer,
    descriptors: () => descriptors,
    eventTypes: () => declared,
    kinds: () => kinds,
    plugins,
    unenforced,
    // A contribution contains the name of its point; the point's type determines the type of its values.
    extensions: <T>(point: Point<T>) => contributed(point).map(({ value }) => value),
    contributed,
  }
}

interface Parts {
  readonly input: RoleInput
  readonly core: Core
  readonly platform: Platform
  readonly container: RoleContainer
}

function hasWork(role: Role): role is WorkingRole {
  return role === 'worker' || role === 'manager' || role === 'state'
}

function isListening(role: Role): role is ListeningRole {
  return role === 'bff' || role === 'gateway' || role === 'state' || role === 'manager'
}

function buildApp(role: ListeningRole, { input, core, platform, container }: Parts): Promise<RoleApp> {
  return createRoleApp({
    role,
    core,
    platform,
    built: container.built,
    settings: input.settings.core,
    tracer: input.tracer,
    accessLog: input.settings.core.telemetry.accessLog,
    thirdParty: input.thirdParty,
    checkResponses: input.checkResponses,
    hosts: input.hosts,
    ...(role === 'bff' && input.pages !== undefined ? { pages: input.pages } : {}),
  })
}

function finish(
  role: Role,
  parts: Parts & {
    readonly server: RoleApp | undefined
    readonly wired: ReadonlyMap<string, Wired>
    readonly declared: DeclaredWork | undefined
  },
): RunningRole {
  const { input, core, platform, container, server, declared } = parts
  const stop = new AbortController()
  const running: Running[] = []
  const handlers = createRunningHandlers()
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const add = (one: Running): void => {
    running.push(one)
    one.done.catch((error: unknown) => core.log.error({ error: String(error) }, 'background work ended'))
  }
  const start = async (): Promise<void> => {
    if (role === 'migrate') {
      if (input.rebuild !== undefined) return input.rebuild.done(await platform.rebuild(input.rebuild.projection))
      return platform.migrate(allConsumers({ core, platform, built: container.built }))
    }
    if (hasWork(role) && declared !== undefined) {
      const work = { role, core, platform, built: container.built, declared, handlers, tracer: input.tracer }
      return startRoleWork({ ...work, signal: stop.signal }, add)
    }
    // Requests are served meanwhile; those that need the missing dependency get an error.
    await platform.available.store(stop.signal)
    await platform.available.bus(stop.signal)
  }
  const stopped = async (): Promise<void> => {
    // No work may be added after this.
    await starting?.catch(() => undefined)
    await Promise.allSettled(running.map(({ done }) => done))
  }
  const close = async (): Promise<void> => {
    stop.abort()
    const bound = closeBound(input.settings.core.pluginHooks)
    // A lease of a handler that does not stop is not released: it expires.
    await within(bound.seconds * 1_000, stopped(), () => lateHook('background work', bound)).catch((error: unknown) =>
      core.log.error({ role, handlers: handlers.names() }, String(error)),
    )
    if (server !== undefined) await closeApp(server.app)
    await container
      .close()
      .finally(() => core.outbound.close())
      .finally(() => platform.close())
  }
  return {
    role,
    app: server?.app,
    checks: platform.checks,
    get notes() {
      return [...notesOf(parts.wired), ...(platform.notes?.() ?? [])]
    },
    start: () => (starting ??= start()),
    synced: async () => {
      await Promise.all(running.map(({ synced }) => synced))
    },
    drain: () => server?.streams.drain(),
    close: () => (closing ??= close()),
  }
}

function notesOf(wired: ReadonlyMap<string, Wired>): readonly string[] {
  return [...wired].flatMap(([name, { wiring, because }]) =>
    wiring === 'ready' ? [] : [`${name}: ${wiring}, ${because ?? ''}`],
  )
}

// Draining waits for requests; closing must not wait for a client that keeps its connection.
async function closeApp(app: FastifyInstance): Promise<void> {
  const cut = setInterval(() => app.server.closeAllConnections(), 20)
  await app.close().finally(() => clearInterval(cut))
}
