import type { FastifyInstance } from 'fastify'
import { within } from '#core/async/within.ts'
import type { Role } from '#core/config/profile.ts'
import type { RunningBackgroundWork } from '#core/jobs/background-work.ts'
import type { PluginAvailability } from '#core/plugin/core-services.ts'
import { closeBound, lateHook } from '../load/startup-error.ts'
import type { Platform } from '../platform/platform.ts'
import { composeRole } from './compose-role.ts'
import { allConsumers } from './declare-work.ts'
import { startRoleWork } from './role-background-work.ts'
import { hasWork } from './role-cradle.ts'
import type { RoleCradle, RoleInput } from './role-cradle.ts'
import { createRoleApp, hasManagerRoutes } from './role-server.ts'
import type { ListeningRole, RoleApp } from './role-server.ts'

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
  const cradle = await composeRole(role, input)
  try {
    // Conflicts of projections fail the start, not the first write.
    cradle.needs.projections()
    const listens = isListening(role) && (role !== 'manager' || hasManagerRoutes(cradle.built))
    const server = listens ? await buildApp(role, cradle) : undefined
    // Conflicts of jobs and tasks fail the start, too.
    void cradle.declared
    return finish(cradle, server)
  } catch (error) {
    await cradle.container.close().catch(() => undefined)
    await cradle.platform.close()
    throw error
  }
}

function isListening(role: Role): role is ListeningRole {
  return role === 'bff' || role === 'gateway' || role === 'state' || role === 'manager'
}

function buildApp(role: ListeningRole, cradle: RoleCradle): Promise<RoleApp> {
  const { core, platform, built, stores, tracer, thirdParty, checkResponses, hosts, signIn } = cradle
  const settings = cradle.settings.core
  return createRoleApp({
    role,
    core,
    platform,
    built,
    stores,
    settings,
    tracer,
    accessLog: settings.telemetry.accessLog,
    thirdParty,
    checkResponses,
    hosts,
    signIn,
  })
}

function finish(cradle: RoleCradle, server: RoleApp | undefined): RunningRole {
  const { role, core, platform, stop } = cradle
  const running: RunningBackgroundWork[] = []
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const add = (one: RunningBackgroundWork): void => {
    running.push(one)
    one.done.catch((error: unknown) => core.log.error({ error: String(error) }, 'background work ended'))
  }
  const stopped = async (): Promise<void> => {
    // No work may be added after this.
    await starting?.catch(() => undefined)
    await Promise.allSettled(running.map(({ done }) => done))
  }
  return {
    role,
    app: server?.app,
    checks: platform.checks,
    get notes() {
      return [...notesOf(cradle.wired), ...(platform.notes?.() ?? [])]
    },
    start: () => (starting ??= startRole(cradle, add)),
    synced: async () => {
      await Promise.all(running.map(({ synced }) => synced))
    },
    drain: () => server?.streams.drain(),
    close: () => {
      stop.abort()
      return (closing ??= closeRole(cradle, server, stopped))
    },
  }
}

async function startRole(cradle: RoleCradle, add: (running: RunningBackgroundWork) => void): Promise<void> {
  const { role, rebuild, platform, stop } = cradle
  if (role === 'migrate') {
    if (rebuild !== undefined) return rebuild.done(await platform.rebuild(rebuild.projection))
    return platform.migrate(allConsumers(cradle))
  }
  if (hasWork(role)) return startRoleWork(role, cradle, add)
  if (cradle.stores !== undefined) add(platform.follow(cradle.stores, stop.signal))
  // Requests are served meanwhile; those that need the missing dependency get an error.
  await platform.available.store(stop.signal)
  await platform.available.bus(stop.signal)
}

// Closes background work, the server, plugins in reverse load order, then their dependencies.
async function closeRole(cradle: RoleCradle, server: RoleApp | undefined, stopped: () => Promise<void>): Promise<void> {
  const { role, core, settings, handlers, container, platform } = cradle
  const bound = closeBound(settings.core.pluginHooks)
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

function notesOf(wired: ReadonlyMap<string, PluginAvailability>): readonly string[] {
  return [...wired].flatMap(([name, { wiring, because }]) =>
    wiring === 'ready' ? [] : [`${name}: ${wiring}, ${because ?? ''}`],
  )
}

// Draining waits for requests; closing must not wait for a client that keeps its connection.
async function closeApp(app: FastifyInstance): Promise<void> {
  const cut = setInterval(() => app.server.closeAllConnections(), 20)
  await app.close().finally(() => clearInterval(cut))
}
