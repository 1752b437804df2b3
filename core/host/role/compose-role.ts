import { asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser'
import type { AwilixContainer, Resolver } from 'awilix/browser'
import type { Role } from '#core/config/profile.ts'
import { createObjectStores } from '#core/controllers/watch/object-stores.ts'
import type { ObjectStores } from '#core/controllers/watch/object-stores.ts'
import { prefixOfThirdParty } from '#core/database/table-prefix.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { migrationsOfStored } from '#core/plugin/stored-slot.ts'
import { createOutbound } from '#core/http-client/outbound.ts'
import { projectionsOf } from '../load/check-projections.ts'
import { wire } from '../load/plugin-availability.ts'
import { createRoleContainer, usable } from '../load/role-container.ts'
import type { RoleContainer } from '../load/role-container.ts'
import type { Platform, PlatformNeeds } from '../platform/platform.ts'
import { createCore } from './create-core.ts'
import { declareWork } from './declare-work.ts'
import { hasWork } from './role-cradle.ts'
import type { RoleCradle, RoleInput } from './role-cradle.ts'
import { createRunningHandlers } from './running-handlers.ts'

type Registrations = { readonly [K in keyof Required<RoleCradle>]: Resolver<RoleCradle[K]> }

/** Composes a role: opens its platform, decides which plugins are available, and creates them in load order. The caller closes it. */
export async function composeRole(role: Role, input: RoleInput): Promise<RoleCradle> {
  const composed = createContainer<RoleCradle>({ injectionMode: InjectionMode.PROXY, strict: true })
  const { cradle } = composed.register<Registrations>({ ...valuesIn(input), ...made, role: asValue(role) })
  composed.register('platform', asValue(await cradle.openPlatform(cradle.needs)))
  await createPlugins(composed).catch(async (error: unknown) => {
    await cradle.platform.close()
    throw error
  })
  return cradle
}

async function createPlugins(composed: AwilixContainer<RoleCradle>): Promise<void> {
  const { ordered, core, keys, settings } = composed.cradle
  const { slices } = settings
  const { disable: disabled, pluginHooks: hooks } = settings.core
  const wired = await wire(ordered, { core, slices, disabled, hooks })
  composed.register('wired', asValue(wired))
  composed.register('container', asValue(await createRoleContainer({ core, keys, ordered, slices, wired, hooks })))
}

// In strict mode an optional value has to be registered, too.
function valuesIn({ tracer, hosts, signIn, rebuild, ...input }: RoleInput) {
  const optional = {
    tracer: asValue(tracer),
    hosts: asValue(hosts),
    signIn: asValue(signIn),
    rebuild: asValue(rebuild),
  }
  const { ordered, settings, openPlatform, log, metrics, keys, now, version, urls } = input
  const { outbound, coreEventTypes, thirdParty, checkResponses } = input
  return {
    ...optional,
    ordered: asValue(ordered),
    settings: asValue(settings),
    openPlatform: asValue(openPlatform),
    log: asValue(log),
    metrics: asValue(metrics),
    keys: asValue(keys),
    now: asValue(now),
    version: asValue(version),
    urls: asValue(urls),
    outbound: asValue(outbound),
    coreEventTypes: asValue(coreEventTypes),
    thirdParty: asValue(thirdParty),
    checkResponses: asValue(checkResponses),
  }
}

const one = <T>(make: (cradle: RoleCradle) => T): Resolver<T> => asFunction(make).singleton()

// Replaced by its value when it is known.
const later = <T>(why: string): Resolver<T> =>
  asFunction((): T => {
    throw new Error(why)
  }).singleton()

const made = {
  eventTypes: one(({ coreEventTypes, ordered }) => [
    ...coreEventTypes,
    ...ordered.flatMap(({ events = [] }) => events),
  ]),
  needs: one(needsOfPlatform),
  calls: one(({ outbound }) => createOutbound(outbound)),
  core: one(createCore),
  handlers: one(() => createRunningHandlers()),
  stop: one(() => new AbortController()),
  declared: one((cradle) => (hasWork(cradle.role) ? declareWork(cradle.role, cradle) : undefined)),
  platform: later<Platform>('the platform is used before it is open'),
  wired: later<RoleCradle['wired']>('plugins are readable once their availability is decided'),
  container: later<RoleContainer>('extensions are readable once every plugin is created'),
  built: one(({ container }) => container.built),
  stores: one(gatewayStoresOf),
}

function gatewayStoresOf({ role, built, platform: { identity } }: RoleCradle): ObjectStores | undefined {
  if (role !== 'gateway' || identity === undefined) return undefined
  const kinds = usable(built).flatMap(({ plugin }) => plugin.gatewayStores ?? [])
  return createObjectStores(
    identity.cluster,
    kinds.map((resource) => ({ resource })),
  )
}

function needsOfPlatform(cradle: RoleCradle): PlatformNeeds {
  const { role, eventTypes, thirdParty, ordered } = cradle
  const prefixOf = (name: string) => (thirdParty.has(name) ? { tablePrefix: prefixOfThirdParty(name) } : {})
  return {
    role,
    eventTypes,
    projections: () => projectionsOf(cradle.built, { eventTypes, thirdParty }),
    migrations: ordered.flatMap((plugin): MigrationSource[] => {
      const { name, migrations } = plugin
      const declared = migrationsOfStored(plugin)
      if (declared.length === 0 && migrations === undefined) return []
      return [{ name, declared, ...(migrations === undefined ? {} : { migrations }), ...prefixOf(name) }]
    }),
  }
}
