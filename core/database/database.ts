import { randomUUID } from 'node:crypto'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql, Transaction } from 'kysely'
import type { Dialect } from 'kysely'
import { guardFetch } from '#core/async/transaction-guard.ts'
import { SessionDriver } from './session/driver.ts'
import { READ_ONLY_SESSION } from './session/session.ts'
import type { ConnectionUsage, SessionSource } from './session/session.ts'
import { StoreConnection } from './session/store-connection.ts'
import { createAnnouncer } from './announcer.ts'
import { openPglite } from './pglite-data-dir.ts'
import type { OpenedPglite } from './pglite-data-dir.ts'
import { pgliteSessions } from './session/pglite.ts'
import { listenOn, postgresSessions } from './session/postgres.ts'
import type { CoreTables } from './core-tables.ts'
import { refuseBadUrl } from './postgres-url.ts'
import type { StoreAddress } from './session/database-errors.ts'
import { createSignalHub } from '#core/async/signal.ts'
import type { SignalHub } from '#core/async/signal.ts'

/** Root handle of the store, with the signal that follows every append. */
export interface Database {
  readonly kind: 'postgres' | 'pglite'
  /** The same object for every handle of one opened database: the key of what a process keeps in memory about it. */
  readonly identity: object
  /** Root handle; throws inside `transact`. */
  readonly root: Kysely<unknown>
  /** The root handle, typed with the store's own tables. */
  readonly db: Kysely<CoreTables>
  /** A handle whose sessions are read-only: the database refuses its writes. Throws inside `transact`. */
  readonly reader: Kysely<unknown>
  /**
   * Runs a transaction that can write. Unlike with `root.transaction()`, statements that are issued together (`Promise.all`) are one message.
   * Throws inside `transact`.
   */
  transaction<Result>(fn: (db: Transaction<unknown>) => Promise<Result>): Promise<Result>
  /** Notified after each commit that appended events, by this process or (PostgreSQL) by any other. */
  readonly appended: SignalHub
  /** Notified after each commit that enqueued tasks, by this process or (PostgreSQL) by any other. */
  readonly enqueued: SignalHub
  /** Connection usage of this process. */
  usage(): ConnectionUsage
  /** Notifies this process immediately and others within 50 ms of a commit. Notifications may be lost, so readers also poll. */
  announce(what: Announcement): void
  /** Number of notifications from other processes, and of times at which one may have been lost, since the start. */
  heard(what: Announcement): number
  /** Starts listening for notifications of other processes. */
  listen(what: Announcement): { stop(): Promise<void> }
  /** To be called after migrations: their statements keep no name, and plans prepared before them are not used again. */
  renewStatements(): void
  close(): Promise<void>
}

/**
 * Location of the store: a PostgreSQL URL, a folder of the embedded default (`memory://` in tests), or an embedded store opened by the
 * caller.
 */
export type DatabaseLocation =
  | (StoreAddress & {
      readonly connections?: number
      /** False behind a pooler that may change the server's connection between transactions. */
      readonly prepare?: boolean
    })
  | { readonly pglite: string; readonly image?: string }
  | { readonly opened: OpenedPglite }

/** Opens the store. PostgreSQL is connected at the first statement; the embedded store starts here. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  guardFetch()
  if ('url' in location)
    return openPostgres(location, { size: location.connections ?? 20, prepare: location.prepare ?? true })
  const { pglite, close } = 'opened' in location ? location.opened : await openPglite(location.pglite, location.image)
  await pglite.exec(`set timezone = UTC; set ${READ_ONLY_SESSION} = on`)
  const sessions = await pgliteSessions(pglite, close)
  const { handle: root, transaction } = createHandle(sessions, 'write')
  const hubs = createHubs()
  return {
    kind: 'pglite',
    identity: sessions,
    root,
    db: withTables<CoreTables>(root),
    reader: createHandle(sessions, 'read').handle,
    transaction,
    ...hubs,
    usage: () => sessions.usage(),
    renewStatements: () => sessions.renewStatements(),
    // One process owns the folder, so no other process needs a notification.
    announce: (what) => hubs[what].notify(),
    heard: () => 0,
    listen: () => ({ stop: async () => undefined }),
    close: closeOnce(root),
  }
}

/** Content of a commit: events or tasks. */
export type Announcement = 'appended' | 'enqueued'

function createHubs(): Record<Announcement, SignalHub> {
  return { appended: createSignalHub(), enqueued: createSignalHub() }
}

const channels = { appended: 'mesh_appended', enqueued: 'mesh_enqueued' } as const satisfies Record<
  Announcement,
  string
>

function openPostgres(address: StoreAddress, pool: { readonly size: number; readonly prepare: boolean }): Database {
  const { url } = address
  refuseBadUrl(address)
  const sessions = postgresSessions(address, pool)
  const { handle: root, transaction } = createHandle(sessions, 'write')
  const hubs = createHubs()
  const origin = randomUUID()
  const others = {
    appended: createAnnouncer(root, channels.appended, origin),
    enqueued: createAnnouncer(root, channels.enqueued, origin),
  }
  const heard = { appended: 0, enqueued: 0 }
  return {
    kind: 'postgres',
    identity: sessions,
    root,
    db: withTables<CoreTables>(root),
    reader: createHandle(sessions, 'read').handle,
    transaction,
    ...hubs,
    usage: () => sessions.usage(),
    renewStatements: () => sessions.renewStatements(),
    announce: (what) => {
      hubs[what].notify()
      others[what].announce()
    },
    heard: (what) => heard[what],
    listen: (what) =>
      listenOn(url, channels[what], (from) => {
        if (from === origin) return
        heard[what]++
        hubs[what].notify()
      }),
    close: closeOnce(root, () => Promise.all([others.appended.flush(), others.enqueued.flush()])),
  }
}

function closeOnce(db: Kysely<unknown>, before: () => Promise<unknown> = async () => undefined): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () =>
    (closing ??= before()
      .then(() => ensureInitialised(db))
      .then(() => db.destroy()))
}

// kysely destroys a driver only after its first use, but an unused embedded store must also release its lock.
async function ensureInitialised(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db).catch(() => undefined)
}

interface Handle {
  readonly handle: Kysely<unknown>
  readonly transaction: Database['transaction']
}

function createHandle(source: SessionSource, access: 'read' | 'write'): Handle {
  const driver = new SessionDriver(source, access)
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const config = { dialect }
  const handle = new Kysely<unknown>(config)
  const executor = handle.getExecutor()
  return {
    handle,
    transaction: (fn) =>
      executor.provideConnection(async (connection) => {
        if (!(connection instanceof StoreConnection)) throw new TypeError('a connection of another driver')
        // kysely's own provider makes a statement wait for the result of the previous one.
        const own = executor.withConnectionProvider({ provideConnection: (use) => use(connection) })
        return inTransaction(connection, () => fn(new Transaction<unknown>({ config, dialect, driver, executor: own })))
      }),
  }
}

async function inTransaction<Result>(connection: StoreConnection, run: () => Promise<Result>): Promise<Result> {
  connection.begin('begin read write')
  try {
    const result = await run()
    await connection.commit()
    return result
  } catch (error) {
    await connection.rollback()
    throw error
  }
}

/** The handle, typed by the caller's tables. */
export function withTables<Tables>(db: Kysely<unknown>): Kysely<Tables> {
  return db as Kysely<Tables>
}

/** The transaction, typed by the caller's tables. */
export function txWithTables<Tables>(db: Transaction<unknown>): Transaction<Tables> {
  return db as Transaction<Tables>
}
