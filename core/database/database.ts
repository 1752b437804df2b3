import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import type { Transaction } from 'kysely'
import { guardFetch } from '#core/async/transaction-guard.ts'
import { READ_ONLY_SESSION, SessionDriver } from './driver.ts'
import type { ConnectionUsage, SessionSource } from './driver.ts'
import { openPglite } from './pglite-data-dir.ts'
import type { OpenedPglite } from './pglite-data-dir.ts'
import { pgliteSessions } from './pglite.ts'
import { listenOn, postgresSessions } from './postgres.ts'
import type { CoreTables } from './core-tables.ts'
import { refuseBadUrl } from './postgres-url.ts'
import type { StoreAddress } from './database-errors.ts'
import { createSignalHub } from '#core/async/signal.ts'
import type { SignalHub } from '#core/async/signal.ts'

/** Root handle of the store, with the signal that follows every append. */
export interface Database {
  readonly kind: 'postgres' | 'pglite'
  /** Root handle; throws inside `transact`. */
  readonly root: Kysely<unknown>
  /** The root handle, typed with the store's own tables. */
  readonly db: Kysely<CoreTables>
  /** A handle whose sessions are read-only: the database refuses its writes. Throws inside `transact`. */
  readonly reader: Kysely<unknown>
  /** Notified after each commit that appended events, by this process or (PostgreSQL) by any other. */
  readonly appended: SignalHub
  /** Notified after each commit that enqueued tasks, by this process or (PostgreSQL) by any other. */
  readonly enqueued: SignalHub
  /** Connection usage of this process. */
  usage(): ConnectionUsage
  /** Notifies this process and others of a commit. Notifications may be lost, so readers also poll. */
  announce(what: Announcement): void
  /** Starts listening for notifications of other processes. */
  listen(what: Announcement): { stop(): Promise<void> }
  close(): Promise<void>
}

/**
 * Location of the store: a PostgreSQL URL, a folder of the embedded default (`memory://` in tests), or an embedded store opened by the
 * caller.
 */
export type DatabaseLocation =
  | (StoreAddress & { readonly connections?: number })
  | { readonly pglite: string; readonly image?: string }
  | { readonly opened: OpenedPglite }

/** Opens the store. PostgreSQL is connected at the first statement; the embedded store starts here. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  guardFetch()
  if ('url' in location) return openPostgres(location, location.connections ?? 20)
  const { pglite, close } = 'opened' in location ? location.opened : await openPglite(location.pglite, location.image)
  await pglite.exec(`set timezone = UTC; set ${READ_ONLY_SESSION} = on`)
  const sessions = pgliteSessions(pglite, close)
  const root = createKysely(sessions, 'write')
  const hubs = createHubs()
  return {
    kind: 'pglite',
    root,
    db: withTables<CoreTables>(root),
    reader: createKysely(sessions, 'read'),
    ...hubs,
    usage: () => sessions.usage(),
    // One process owns the folder, so no other process needs a notification.
    announce: (what) => hubs[what].notify(),
    listen: () => ({ stop: async () => undefined }),
    close: closeOnce(root),
  }
}

/** What a commit contains: events or tasks. */
export type Announcement = 'appended' | 'enqueued'

function createHubs(): Record<Announcement, SignalHub> {
  return { appended: createSignalHub(), enqueued: createSignalHub() }
}

const channels = { appended: 'mesh_appended', enqueued: 'mesh_enqueued' } as const satisfies Record<
  Announcement,
  string
>

function openPostgres(address: StoreAddress, connections: number): Database {
  const { url } = address
  refuseBadUrl(address)
  const sessions = postgresSessions(address, connections)
  const root = createKysely(sessions, 'write')
  const hubs = createHubs()
  const others = {
    appended: createAnnouncer(root, channels.appended),
    enqueued: createAnnouncer(root, channels.enqueued),
  }
  return {
    kind: 'postgres',
    root,
    db: withTables<CoreTables>(root),
    reader: createKysely(sessions, 'read'),
    ...hubs,
    usage: () => sessions.usage(),
    announce: (what) => {
      hubs[what].notify()
      others[what]()
    },
    listen: (what) => listenOn(url, channels[what], () => hubs[what].notify()),
    close: closeOnce(root),
  }
}

// NOTIFY inside a transaction takes a server-wide lock at COMMIT. After the commit, one in flight covers many commits.
function createAnnouncer(db: Kysely<unknown>, channel: string): () => void {
  let running = false
  let again = false
  const announce = async (): Promise<void> => {
    do {
      again = false
      await sql`select pg_notify(${channel}, '')`.execute(db)
    } while (again)
  }
  return () => {
    again = true
    if (running) return
    running = true
    void announce()
      .catch(() => undefined)
      .finally(() => {
        running = false
      })
  }
}

function closeOnce(db: Kysely<unknown>): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => (closing ??= ensureInitialised(db).then(() => db.destroy()))
}

// kysely destroys a driver only after its first use, but an unused embedded store must also release its lock.
async function ensureInitialised(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db).catch(() => undefined)
}

function createKysely(source: SessionSource, access: 'read' | 'write'): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new SessionDriver(source, access),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** The handle, typed by the caller's tables. */
export function withTables<Tables>(db: Kysely<unknown>): Kysely<Tables> {
  return db as Kysely<Tables>
}

/** The transaction, typed by the caller's tables. */
export function txWithTables<Tables>(db: Transaction<unknown>): Transaction<Tables> {
  return db as Transaction<Tables>
}
