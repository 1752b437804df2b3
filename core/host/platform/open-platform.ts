import { asFunction, asValue, createContainer, InjectionMode } from 'awilix/browser'
import type { Resolver } from 'awilix/browser'
import type { MigrationSource } from '#core/database/migration.ts'
import { objectPrefix } from '#core/objects/object-key.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { createCallers } from '#core/cluster/callers.ts'
import { createIndexedReads } from '#core/object-reads/indexed-objects.ts'
import type { IndexedReads } from '#core/object-reads/indexed-objects.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import type { Role } from '#core/config/profile.ts'
import { createWatchStates } from '#core/controllers/watch/watch-states.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { checkBus, ensureStreams } from './platform-bus.ts'
import type { StreamState } from './platform-bus.ts'
import { endpointsOf, openDirectory, openIdentity, openPool, ownBearerOf, reach } from './platform-cluster.ts'
import {
  coreMigrations,
  followConnections,
  migrateStore,
  openPlatformStore,
  rebuildProjection,
} from './platform-store.ts'
import { createPlatformWork } from './platform-work.ts'
import type { PlatformWorkParts } from './platform-work.ts'
import type { OpenPlatform, Platform, PlatformNeeds } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'
import { until } from './wait-for-dependency.ts'

/** Parts of the platform of one role. A part that the role never uses is never created (ADR 0252). */
interface PlatformCradle extends PlatformWorkParts {
  readonly shared: SharedParts
  readonly needs: PlatformNeeds
  readonly sources: readonly MigrationSource[]
  readonly pool: KubePool
  readonly callers: Platform['callers']
  readonly observed: Platform['observed']
  readonly indexed: Platform['indexed']
  readonly directory: Platform['directory']
  readonly endpoints: Platform['endpoints']
  readonly checks: Platform['checks']
  readonly available: Platform['available']
}

/** Creates the function that opens the platform of a role: its own store handle, connection pool, identity and leader election. */
export function createPlatformOpener(shared: SharedParts): OpenPlatform {
  followConnections(shared)
  return async (needs) => {
    const sources = [...coreMigrations, ...needs.migrations]
    const composed = createContainer<PlatformCradle>({ injectionMode: InjectionMode.PROXY, strict: true })
    composed.register<Registrations>({
      ...made,
      shared: asValue(shared),
      needs: asValue(needs),
      sources: asValue(sources),
      store: asValue(await openPlatformStore(shared, needs, sources)),
    })
    const close = async (): Promise<void> => (composed.cache.has('pool') ? composed.cradle.pool.close() : undefined)
    return platformOf(composed.cradle, close)
  }
}

type Registrations = { readonly [K in keyof PlatformCradle]: Resolver<PlatformCradle[K]> }

const one = <T>(make: (cradle: PlatformCradle) => T): Resolver<T> => asFunction(make).singleton()

const made = {
  streams: one((): StreamState => ({ drift: undefined })),
  states: one(({ shared }) => createWatchStates(shared)),
  pool: one(({ shared }) => openPool(shared)),
  identity: one(({ shared, needs, pool }) => openIdentity(shared, needs.role, pool)),
  callers: one(({ shared: { cluster, served }, pool }) => createCallers({ server: cluster.server, pool, served })),
  observed: one(({ shared, store }) =>
    store === undefined ? nothingObserved : createObserved(store.store, shared.served),
  ),
  indexed: one(({ shared, store }) =>
    store === undefined ? nothingIndexed : createIndexedReads(store.store, shared.served),
  ),
  directory: one(({ shared, store }) => openDirectory(store?.store, shared.served)),
  // The state role gives launchers the addresses of each other.
  endpoints: one((cradle) =>
    endpointsOf(cradle.shared.cluster, cradle.needs.role === 'state' ? undefined : cradle.identity),
  ),
  checks: one(checksOf),
  available: one(availableOf),
}

function platformOf(cradle: PlatformCradle, close: () => Promise<void>): Platform {
  const { shared, needs, sources, store } = cradle
  const { bus, cluster, served } = shared
  return {
    store: store?.store,
    bus,
    ...stateStoresOf(shared, needs.role),
    get callers() {
      return cradle.callers
    },
    get identity() {
      return cradle.identity
    },
    ownBearer: ownBearerOf(cluster, needs.role),
    get observed() {
      return cradle.observed
    },
    get indexed() {
      return cradle.indexed
    },
    get directory() {
      return cradle.directory
    },
    serves: served.has,
    get endpoints() {
      return cradle.endpoints
    },
    notes: () => [...cradle.states.notes(), ...stateStoreNotes(shared, needs.role)],
    get checks() {
      return cradle.checks
    },
    get available() {
      return cradle.available
    },
    migrate: async (consumers) => {
      await migrateStore(shared, needs, sources)
      await ensureStreams(bus, consumers)
    },
    rebuild: (name) => rebuildProjection(shared, needs, { name, sources }),
    ...createPlatformWork(shared, cradle),
    close,
  }
}

function stateStoresOf({ stateStore, objects }: SharedParts, role: Role): Pick<Platform, 'stateStore' | 'objects'> {
  if (role === 'state') return { stateStore, objects }
  return role === 'bff' || role === 'worker' ? { objects } : {}
}

function stateStoreNotes({ stateStore, objects }: SharedParts, role: Role): readonly string[] {
  if (role !== 'state') return []
  return [
    ...(stateStore === undefined ? ['state store: not configured, no REDIS_URL'] : []),
    ...(objects === undefined ? ['object store: not configured, no OBJECT_STORE_ADDR'] : []),
  ]
}

const noReads = { get: async () => undefined, ofUid: async () => undefined, list: async () => [] }
const nothingIndexed: IndexedReads = { ...noReads, within: () => noReads }

const nothingObserved: Platform['observed'] = { find: async () => undefined, namespaceUid: async () => undefined }

function availableOf({ shared: { bus, log }, store }: PlatformCradle): Platform['available'] {
  return {
    store: async (signal) => {
      if (store !== undefined) await until({ what: 'the store', log, signal }, () => store.check())
    },
    bus: async (signal) => {
      if (store !== undefined) await until({ what: 'the bus', log, signal }, () => bus.check())
    },
  }
}

// Lists a page of keys that no plugin writes: every use needs the bucket and the right to list it.
async function reachObjects(objects: ObjectStore): Promise<void> {
  await objects.list(objectPrefix('readyz'), { limit: 1 })
}

function checksOf(cradle: PlatformCradle): Platform['checks'] {
  const { shared, needs, store, streams } = cradle
  const { bus, stateStore, objects } = shared
  const { role } = needs
  return {
    ...(store === undefined ? {} : { store: () => store.check(), bus: () => checkBus(bus, streams) }),
    ...(role === 'state' && stateStore !== undefined ? { 'state store': () => stateStore.check() } : {}),
    ...(role === 'state' && objects !== undefined ? { 'object store': () => reachObjects(objects) } : {}),
    ...(role === 'worker' || role === 'migrate' ? {} : { cluster: () => reach(cradle.pool) }),
  }
}
