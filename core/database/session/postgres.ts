import { Client, Pool } from 'pg'
import type { PoolClient, types } from 'pg'
import { toConnectFailure } from './database-errors.ts'
import type { StoreAddress } from './database-errors.ts'
import { ClientSession } from './client-session.ts'
import { createStatementNames, noNames, PreparedStatements } from './prepared-statements.ts'
import { READ_ONLY_SESSION } from './session.ts'
import type { SessionSource } from './session.ts'
import { parserOf } from './type-parsers.ts'

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
export function postgresSessions(
  address: StoreAddress,
  { size, prepare }: { readonly size: number; readonly prepare: boolean },
): SessionSource {
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
  const names = prepare ? createStatementNames() : noNames
  const prepared = new WeakMap<PoolClient, PreparedStatements>()
  const preparedOf = (client: PoolClient): PreparedStatements => {
    const known = prepared.get(client) ?? new PreparedStatements(names)
    prepared.set(client, known)
    return known
  }
  return {
    open: async () => {
      const client = await pool.connect().catch((error: unknown) => {
        throw toConnectFailure(address, error)
      })
      return new ClientSession(client, preparedOf(client), (reusable) => client.release(!reusable))
    },
    usage: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    renewStatements: () => names.renew(),
    close: () => pool.end(),
  }
}

/**
 * Listens on a NOTIFY channel over its own connection, and reconnects after a failure; `stop` closes it. `heard` is called with each payload,
 * and with an empty one after each connect, since notifications before it are lost.
 */
export function listenOn(url: string, channel: string, heard: (payload: string) => void): { stop(): Promise<void> } {
  let client: Client | undefined
  let stopped = false
  let again: NodeJS.Timeout | undefined
  const connect = async (): Promise<void> => {
    const mine = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true })
    client = mine
    mine.on('error', () => undefined)
    mine.on('end', retry)
    mine.on('notification', ({ payload = '' }) => heard(payload))
    await mine.connect()
    await mine.query(`listen ${channel}`)
    heard('')
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
