import { sql } from 'kysely'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { createNatsBus } from '#core/messaging/bus/nats-bus.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { startNats } from '#test/harness/nats.ts'
import type { NatsServer } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import type { PostgresServer } from '#test/harness/postgres.ts'
import type { Scope } from '#test/harness/scope.ts'
import { startProcess } from '#test/harness/server-process.ts'
import type { ServerProcess } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { until } from '../until.ts'

/** An event log with its servers and three processes that publish and consume it. */
export interface World {
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  readonly database: Database
  readonly workers: Map<string, ServerProcess>
  start(holder: string): void
  /** Head of the log just after the last stream was deleted; later events must be in the new stream. */
  streamFrom: bigint
}

/** Starts the servers and the workers `one`, `two` and `three`. */
export async function openWorld(scope: Scope): Promise<World> {
  const [postgres, nats] = await Promise.all([startPostgres(scope), startNats(scope)])
  const database = await openDatabase({ url: postgres.url, connections: 60 })
  scope.after(() => database.close())
  await migrate(database, [storeMigrations])
  await sql`create table effects (at bigserial, consumer text, stream text, n integer, version integer)`.execute(
    database.root,
  )
  await makeStream(nats.url)
  await holdTransaction(scope, postgres.adminUrl)
  const folder = tempFolder('chaos')
  const workers = new Map<string, ServerProcess>()
  scope.after(async () => {
    await Promise.all([...workers.values()].map((worker) => worker.end('SIGKILL')))
    folder.remove()
  })
  const program = fileURLToPath(import.meta.resolve('./log-worker.ts'))
  const start = (holder: string): void => {
    const args = [program, holder, postgres.url, nats.url]
    workers.set(holder, startProcess({ program: process.execPath, args, log: join(folder.path, `${holder}.log`) }))
  }
  for (const holder of ['one', 'two', 'three']) start(holder)
  return { postgres, nats, database, workers, start, streamFrom: 0n }
}

// O2: keeps a transaction open in another database of the server. A careless reader would wait for its age, or rely on it.
async function holdTransaction(scope: Scope, url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin; select txid_current()')
  scope.after(() => client.end().catch(() => undefined))
}

/** Creates the stream of events as an installation does. */
export async function makeStream(servers: string): Promise<void> {
  const bus = await createNatsBus({ servers })
  await until('JetStream', async () => bus.ensure({ durables: [] }).then(() => true))
  await bus.close()
}
