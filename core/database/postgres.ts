import { createHash } from 'node:crypto'
import { Client, Pool, types } from 'pg'
import type { PoolClient, QueryResult } from 'pg'
import { lastWithRows, READ_ONLY_SESSION } from './driver.ts'
import type { Session, SessionSource, StatementResult } from './driver.ts'
import { codeOf, toConnectFailure } from './database-errors.ts'
import type { StoreAddress } from './database-errors.ts'
import { valueParsers } from './type-parsers.ts'

const parserOf = (id: number): ((text: string) => unknown) => valueParsers[id] ?? types.getTypeParser(id)

/** Deadlines in milliseconds, on the server and here: a frozen server must not hold a request indefinitely. */
const deadlines = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  lock_timeout: 20_000,
  // A paused process that holds a lock on the lease must not delay the takeover (O5: 15 s).
  idle_in_transaction_session_timeout: 8_000,
  keepAlive: true,
}

/** Creates a PostgreSQL pool, in UTC and read-only outside transactions that say otherwise, with the same type parsers as PGlite. */
export function postgresSessions(address: StoreAddress, size: number): SessionSource {
  const { url } = address
  const pool = new Pool({
    connectionString: url,
    max: size,
    options: `-c TimeZone=UTC -c ${READ_ONLY_SESSION}=on`,
    application_name: 'mesh',
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
    ...deadlines,
  })
  // Without a listener a connection cut by the server would end the process; the query reports the error.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const names = createStatementNames()
  return {
    open: async () => {
      const client = await pool.connect().catch((error: unknown) => {
        throw toConnectFailure(address, error)
      })
      return new PostgresSession(client, names)
    },
    usage: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  }
}

class PostgresSession implements Session {
  readonly #client: PoolClient
  readonly #names: StatementNames
  #stale = false
  constructor(client: PoolClient, names: StatementNames) {
    this.#client = client
    this.#names = names
  }

  async run(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const name = parameters.length === 0 ? undefined : this.#names.of(text)
    try {
      const values = [...parameters]
      const result = await this.#client.query(name === undefined ? { text, values } : { name, text, values })
      // Several statements without parameters return an array with one result each.
      const { rows, command, rowCount } = Array.isArray(result) ? lastWithRows(result as QueryResult[]) : result
      return { rows, affected: writes.has(command) ? BigInt(rowCount ?? 0) : undefined }
    } catch (error) {
      // "cached plan must not change result type": a migration changed a table under a prepared `select *`.
      if (name !== undefined && codeOf(error) === '0A000') this.#stale = true
      throw error
    }
  }

  release(broken: boolean): void {
    this.#client.release(broken || this.#stale)
  }
}

const writes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

interface StatementNames {
  of(text: string): string | undefined
}

// A frequent statement becomes a named prepared one. Bounded, so that varying texts (lists of parameters) do not accumulate on the server.
function createStatementNames(): StatementNames {
  const hot = 5
  const most = 300
  const seen = new Map<string, number | string>()
  return {
    of: (text) => {
      const known = seen.get(text)
      if (typeof known === 'string') return known
      if (known === undefined && seen.size >= most) return undefined
      const count = (known ?? 0) + 1
      const name = createHash('sha1').update(text).digest('base64url')
      seen.set(text, count < hot ? count : name)
      return undefined
    },
  }
}

/** Listens on a NOTIFY channel over its own connection, and reconnects after a failure; `stop` closes it. */
export function listenOn(url: string, channel: string, heard: () => void): { stop(): Promise<void> } {
  let client: Client | undefined
  let stopped = false
  let again: NodeJS.Timeout | undefined
  const connect = async (): Promise<void> => {
    const mine = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true })
    client = mine
    mine.on('error', () => undefined)
    mine.on('end', retry)
    mine.on('notification', heard)
    await mine.connect()
    await mine.query(`listen ${channel}`)
    heard()
  }
  const retry = (): void => {
    if (stopped) return
    clearTimeout(again)
    again = setTimeout(() => {
      void connect().catch(retry)
    }, 1_000)
    again.unref()
  }
  let connecting = connect().catch(retry)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(again)
      await connecting
      connecting = Promise.resolve()
      await client?.end().catch(() => undefined)
    },
  }
}
