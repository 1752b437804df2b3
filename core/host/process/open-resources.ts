import type { CoreSettings } from '#core/config/core-settings.ts'
import type { Role } from '#core/config/profile.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Bus } from '#core/messaging/bus/bus.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import type { LogFeed } from '#core/messaging/log-feed.ts'
import type { ObjectStore } from '#core/objects/object-store.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { openLogFeed } from './open-log-feed.ts'
import { prepareObjectStore } from './open-object-store.ts'
import { prepareStateStore } from './open-state-store.ts'
import { openTracing } from './open-tracing.ts'
import { pick } from './pick.ts'

/** Dependencies of the connections of a process. */
export interface ResourceNeeds {
  readonly core: CoreSettings
  readonly env: Readonly<Record<string, string | undefined>>
  readonly roles: readonly Role[]
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
  /** Names where a setting comes from, for errors. */
  readonly origin: (setting: string) => string
  readonly embeddedStore?: { readonly dir: string; readonly image?: string } | undefined
  readonly embeddedObjects?: string | undefined
}

/** Connections that the roles of a process share. */
export interface Resources {
  readonly database: Database | undefined
  readonly bus: Bus
  readonly feed: LogFeed | undefined
  readonly stateStore: StateStore | undefined
  readonly objects: ObjectStore | undefined
  readonly tracer: Tracer | undefined
  /** Closes all in reverse order. */
  close(): Promise<void>
}

/** Opens the connections of a process. Settings are checked first; what was opened before a failure is closed. */
export async function openResources(needs: ResourceNeeds): Promise<Resources> {
  const { core, roles, log, metrics, origin } = needs
  const openStateStore = prepareStateStore(core, roles, origin)
  const openObjectStore = prepareObjectStore(core, { roles, origin, folder: needs.embeddedObjects })
  await using opened = new AsyncDisposableStack()
  const kept = <T extends { close(): unknown } | undefined>(resource: T): T => {
    opened.defer(async () => {
      await resource?.close()
    })
    return resource
  }
  const { tracer } = kept(await openTracing({ ...needs, settings: core }))
  const database = kept(await openStore(needs))
  const objects = kept(openObjectStore(metrics, log))
  const stateStore = kept(await openStateStore({ log, metrics }))
  const bus = kept(await openBus(needs, database))
  const feed = kept(openLogFeed({ natsUrl: core.natsUrl, roles, database }))
  const all = opened.move()
  return { database, bus, feed, stateStore, objects, tracer, close: () => all.disposeAsync() }
}

async function openStore({ core, origin, embeddedStore }: ResourceNeeds): Promise<Database | undefined> {
  if (core.store === 'none') return undefined
  const { databaseUrl: url, databaseConnections: connections, databasePreparedStatements: prepare } = core
  if (url !== undefined) return openDatabase({ url, connections, prepare, setting: origin('databaseUrl') })
  if (embeddedStore === undefined) return undefined
  return openDatabase({ pglite: embeddedStore.dir, ...pick(embeddedStore, 'image') })
}

async function openBus({ core, roles, log, origin }: ResourceNeeds, database: Database | undefined): Promise<Bus> {
  if (core.natsUrl !== undefined) {
    const setting = origin('natsUrl')
    // A process without a broker does not load its client.
    const [{ createNatsBus }, { toNatsOptions }] = await Promise.all([
      import('#core/messaging/bus/nats-bus.ts'),
      import('#core/messaging/bus/nats-url.ts'),
    ])
    return createNatsBus(toNatsOptions(core.natsUrl, setting), log, setting)
  }
  // A bus inside one process reaches no other process; their consumers would wait for the sweep each time.
  if (database?.kind === 'postgres' && roles.length === 1)
    throw new SettingsError('NATS_URL: required where roles run as processes of their own and share a database')
  return createMemoryBus({}, log)
}
