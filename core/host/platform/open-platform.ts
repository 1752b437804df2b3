import { objectPrefix } from '#core/objects/object-key.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import { createCallers } from '#core/cluster/callers.ts'
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
import type { PlatformStore } from './platform-store.ts'
import { createPlatformWork } from './platform-work.ts'
import type { OpenPlatform, Platform } from './platform.ts'
import type { SharedParts } from './shared-parts.ts'
import { until } from './wait-for-dependency.ts'

/** Creates the function that opens the platform of a role: its own store handle, connection pool, identity and leader election. */
export function createPlatformOpener(shared: SharedParts): OpenPlatform {
  followConnections(shared)
  return async (needs) => {
    const { bus, cluster, served } = shared
    const pool = openPool(shared)
    const sources = [...coreMigrations, ...needs.migrations]
    const opened = await openPlatformStore(shared, needs, sources)
    const store = opened?.store
    const streams: StreamState = { drift: undefined }
    const states = createWatchStates(shared)
    const identity = openIdentity(shared, needs.role, pool)
    return {
      store,
      bus,
      ...stateStoresOf(shared, needs.role),
      callers: createCallers({ server: cluster.server, pool, served }),
      identity,
      ownBearer: ownBearerOf(cluster, needs.role),
      observed: store === undefined ? nothingObserved : createObserved(store, served),
      directory: openDirectory(store, served),
      serves: served.has,
      // The state role gives launchers the addresses of each other.
      endpoints: endpointsOf(cluster, needs.role === 'state' ? undefined : identity),
      notes: () => [...states.notes(), ...stateStoreNotes(shared, needs.role)],
      checks: checksOf(shared, needs.role, { store: opened, pool, streams }),
      available: availableOf(shared, opened),
      migrate: async (consumers) => {
        await migrateStore(shared, needs, sources)
        await ensureStreams(bus, consumers)
      },
      rebuild: (name) => rebuildProjection(shared, needs, { name, sources }),
      ...createPlatformWork(shared, { store: opened, streams, states, identity }),
      close: () => pool.close(),
    }
  }
}

function stateStoresOf({ stateStore, objects }: SharedParts, role: Role): Pick<Platform, 'stateStore' | 'objects'> {
  return role === 'state' ? { stateStore, objects } : {}
}

function stateStoreNotes({ stateStore, objects }: SharedParts, role: Role): readonly string[] {
  if (role !== 'state') return []
  return [
    ...(stateStore === undefined ? ['state store: not configured, no REDIS_URL'] : []),
    ...(objects === undefined ? ['object store: not configured, no OBJECT_STORE_ADDR'] : []),
  ]
}

const nothingObserved: Platform['observed'] = { find: async () => undefined, namespaceUid: async () => undefined }

function availableOf({ bus, log }: SharedParts, store: PlatformStore | undefined): Platform['available'] {
  return {
    store: async (signal) => {
      if (store !== undefined) await until({ what: 'the store', log, signal }, () => store.check())
    },
    bus: async (signal) => {
      if (store !== undefined) await until({ what: 'the bus', log, signal }, () => bus.check())
    },
  }
}

// A page of keys that no plugin writes: the bucket and the right to list it are what every use needs.
async function reachObjects(objects: ObjectStore): Promise<void> {
  await objects.list(objectPrefix('readyz'), { limit: 1 })
}

interface CheckParts {
  readonly store: PlatformStore | undefined
  readonly pool: KubePool
  readonly streams: StreamState
}

function checksOf(
  { bus, stateStore, objects }: SharedParts,
  role: Role,
  { store, pool, streams }: CheckParts,
): Platform['checks'] {
  return {
    ...(store === undefined ? {} : { store: () => store.check(), bus: () => checkBus(bus, streams) }),
    ...(role === 'state' && stateStore !== undefined ? { 'state store': () => stateStore.check() } : {}),
    ...(role === 'state' && objects !== undefined ? { 'object store': () => reachObjects(objects) } : {}),
    ...(role === 'worker' || role === 'migrate' ? {} : { cluster: () => reach(pool) }),
  }
}
