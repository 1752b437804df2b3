import { randomUUID } from 'node:crypto'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { PGlite } from '@electric-sql/pglite'
import { sql } from 'kysely'
import { createDatabase } from '#test/harness/database.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { StatementCounter } from '#test/harness/statement-count.ts'
import { openDatabase } from '../database.ts'
import type { Database } from '../database.ts'
import { openMemoryStore } from './memory-store.ts'

/** Opens an empty database whose statements are counted on their way to it. */
export async function openCounted(t: Scope, adapter: Database['kind'], counter: StatementCounter): Promise<Database> {
  const database = await (adapter === 'pglite' ? openCountedPglite(t, counter) : openProxied(t, counter))
  t.after(() => database.close())
  return database
}

// Every query of PGlite passes through this method, whatever API sent it. Other instances of the process are not counted.
async function openCountedPglite(t: Scope, counter: StatementCounter): Promise<Database> {
  const marker = randomUUID()
  const send = counter.connection()
  const { execProtocolRawSync } = PGlite.prototype
  const counted = new WeakSet<PGlite>()
  PGlite.prototype.execProtocolRawSync = function (this: PGlite, message) {
    if (counted.has(this)) send(message)
    else if (Buffer.from(message).includes(marker)) counted.add(this)
    return execProtocolRawSync.call(this, message)
  }
  t.after(() => {
    PGlite.prototype.execProtocolRawSync = execProtocolRawSync
  })
  const database = await openMemoryStore()
  await sql`select ${sql.lit(marker)}`.execute(database.root)
  return database
}

async function openProxied(t: Scope, counter: StatementCounter): Promise<Database> {
  return openDatabase({ url: await countedUrl(t, await createDatabase(t), counter) })
}

/** The URL of a PostgreSQL database by which its statements are counted. */
export async function countedUrl(t: Scope, address: string, counter: StatementCounter): Promise<string> {
  const url = new URL(address)
  const { port, hostname } = url
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    client.on('data', counter.connection())
    client.on('error', () => upstream.destroy()).pipe(upstream)
    upstream.on('error', () => client.destroy()).pipe(client)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}
