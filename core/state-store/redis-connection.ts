import { createClient, ErrorReply } from '@redis/client'
import { backoffMs } from '#core/async/backoff.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Metrics } from '#core/telemetry/metrics.ts'
import { stateStoreMetrics } from './metrics.ts'
import type { RedisAddress } from './redis-url.ts'
import type { Script } from './redis-scripts.ts'
import { CALL_DEADLINE_MS, stateStoreUnavailable } from './state-store.ts'

/** A connection to Valkey or Redis that reconnects by itself. Commands of one turn of the event loop are sent together. */
export interface RedisConnection {
  command(...args: readonly string[]): Promise<unknown>
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  close(): Promise<void>
}

/** Reporting of a connection. */
export interface RedisReport {
  readonly log?: Logger | undefined
  readonly metrics?: Metrics | undefined
}

const CONNECT_MS = 5_000
const PING_MS = 1_000
// Without any response for this long, not even to a ping, the connection is replaced.
const SILENCE_MS = 5_000
// Waiting calls hold their values; the role also bounds the bodies of its requests.
const MAX_WAITING = 10_000
const pauses = { minMs: 50, maxMs: 2_000 }

/** Starts to connect. Calls fail with `state_store_unavailable` while there is no connection. */
export function connectRedis(address: RedisAddress, report: RedisReport = {}): RedisConnection {
  const client = createRedisClient(address)
  const seconds = report.metrics?.histogram(stateStoreMetrics.callSeconds)
  const state = followState(client, report.log)
  // Rejects only if the client is closed before the first connection.
  client.connect().catch(() => undefined)

  const call = async (args: readonly string[]): Promise<unknown> => {
    if (!client.isReady || state.isSilent()) throw stateStoreUnavailable()
    const started = performance.now()
    const observe = (outcome: string): void => seconds?.observe((performance.now() - started) / 1000, { outcome })
    try {
      const reply = await withDeadline(client.sendCommand([...args]), state.silent)
      observe('done')
      return reply
    } catch (error) {
      observe(error instanceof ErrorReply ? 'failed' : 'unavailable')
      throw error
    }
  }
  return {
    command: (...args) => call(args).catch(refuse),
    run: async (script, keys, args) => {
      const rest = [String(keys.length), ...keys, ...args.map(String)]
      return call(['EVALSHA', script.sha, ...rest])
        .catch((error: unknown) => {
          if (!(error instanceof ErrorReply) || !error.message.startsWith('NOSCRIPT')) throw error
          return call(['EVAL', script.lua, ...rest])
        })
        .catch(refuse)
    },
    close: async () => client.destroy(),
  }
}

type Client = ReturnType<typeof createRedisClient>

function createRedisClient({ host, port, tls, database, username, password }: RedisAddress) {
  const socket = {
    host,
    port,
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    reconnectStrategy: (retries: number) => backoffMs(retries, pauses),
  }
  return createClient({
    RESP: 2,
    socket: tls ? { ...socket, tls: true, servername: host } : socket,
    database,
    pingInterval: PING_MS,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  })
}

// After a late reply the server counts as silent until it responds again, so that calls do not pile up behind it.
function followState(client: Client, log: Logger | undefined) {
  let silent = false
  let reported: boolean | undefined
  const report = (up: boolean, error?: unknown): void => {
    if (up === reported) return
    reported = up
    if (up) log?.info({}, 'state store connected')
    else log?.warn({ error: errorName(error) }, 'state store not reachable, reconnecting')
  }
  client.on('ready', () => {
    silent = false
    report(true)
  })
  client.on('ping-interval', () => {
    silent = false
  })
  // Without a listener an error would end the process.
  client.on('error', (error: unknown) => {
    if (!client.isReady) report(false, error)
  })
  return {
    isSilent: () => silent,
    silent: () => {
      silent = true
    },
  }
}

// The message of a network error names the address; that of a refused login may quote the user.
function errorName(error: unknown): string {
  if (error instanceof ErrorReply) return firstWord(error)
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

function firstWord({ message }: Error): string {
  return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR'
}

// Replies of the server may quote arguments; only their code is passed on.
function refuse(error: unknown): never {
  if (error instanceof ErrorReply)
    throw stateStoreUnavailable(`The state store refused a command: ${firstWord(error)}.`)
  throw stateStoreUnavailable()
}

async function withDeadline<T>(reply: Promise<T>, late: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      late()
      reject(new Error('no reply in time'))
    }, CALL_DEADLINE_MS)
  })
  try {
    return await Promise.race([reply, deadline])
  } finally {
    clearTimeout(timer)
    reply.catch(() => undefined)
  }
}
