import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import type { Transaction } from 'kysely'
import { guardFetch } from '#core/async/transaction-guard.ts'
import { SessionDriver } from './driver.ts'
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

/** The root handle of the store and the wake-up that follows every append. */
export interface Database {
  readonly kind: 'postgres' | 'pglite'
  /** The root handle; it throws inside `transact`. */
  readonly root: Kysely<unknown>
  /** The same with the store's own tables. */
  readonly db: Kysely<CoreTables>
  /** Notified after each commit that appended events, by this process or (PostgreSQL) by any other. */
  readonly appended: SignalHub
  /** The connections of this process. */
  usage(): ConnectionUsage
  /** Tells other processes that events were appended; may be lost, so readers also poll. */
  announce(): void
  /** Begins to hear the announcements of other processes. */
  listen(): { stop(): Promise<void> }
  close(): Promise<void>
}

/** Where the store is: a PostgreSQL URL, a folder of the embedded default (`memory://` in tests), or an embedded store that the caller has opened. */
export type DatabaseLocation =
  | (StoreAddress & { readonly connections?: number })
  | { readonly pglite: string; readonly image?: string }
  | { readonly opened: OpenedPglite }

/** Opens the store; PostgreSQL is connected to at the first statement, the embedded one is started here. */
export async function openDatabase(location: DatabaseLocation): Promise<Database> {
  guardFetch()
  if ('url' in location) return openPostgres(location, location.connections ?? 20)
  const { pglite, close } = 'opened' in location ? location.opened : await openPglite(location.pglite, location.image)
  await pglite.exec('set timezone = UTC')
  const sessions = pgliteSessions(pglite, close)
  const root = createKysely(sessions)
  return {
    kind: 'pglite',
    root,
    db: withTables<CoreTables>(root),
    appended: createSignalHub(),
    usage: () => sessions.usage(),
    // One process owns the folder, so there is no other process to notify.
    announce: () => undefined,
    listen: () => ({ stop: async () => undefined }),
    close: closeOnce(root),
  }
}

const channel = 'mesh_appended'

function openPostgres(address: StoreAddress, connections: number): Database {
  const { url } = address
  refuseBadUrl(address)
  const sessions = postgresSessions(address, connections)
  const root = createKysely(sessions)
  const appended = createSignalHub()
  return {
    kind: 'postgres',
    root,
    db: withTables<CoreTables>(root),
    appended,
    usage: () => sessions.usage(),
    announce: createAnnouncer(root),
    listen: () => listenOn(url, channel, () => appended.notify()),
    close: closeOnce(root),
  }
}

// NOTIFY inside the transaction would take a lock of the whole server at COMMIT; after it, one in flight serves many commits.
function createAnnouncer(db: Kysely<unknown>): () => void {
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

// kysely destroys a driver only after its first use, and an unused embedded store must give its lock back too.
async function ensureInitialised(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db).catch(() => undefined)
}

function createKysely(source: SessionSource): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new SessionDriver(source),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** The same handle, typed by the tables that its user knows. */
export function withTables<Tables>(db: Kysely<unknown>): Kysely<Tables> {
  return db as Kysely<Tables>
}

/** The same transaction, typed by the tables that its user knows. */
export function txWithTables<Tables>(db: Transaction<unknown>): Transaction<Tables> {
  return db as Transaction<Tables>
}
