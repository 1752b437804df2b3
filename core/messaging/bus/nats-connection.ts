import { errors } from '@nats-io/nats-core'
import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { backoffMs } from '#core/async/backoff.ts'
import { sleep } from '#core/async/sleep.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { connectProblem } from '#core/net/connect-problem.ts'

/** The server refuses the credentials at startup. Waiting does not help. The message names the setting and the host. */
export class BusRefused extends Error {
  constructor(target: string, text: string, cause: Error) {
    super(`${target}: ${text}`, { cause })
    this.name = 'BusRefused'
  }
}

/** A connection that is established once a server is reachable, and kept. */
export interface NatsLink {
  /** Returns the connection while it is up. Throws `bus_unavailable` otherwise, `BusRefused` if the first reachable server refused us. */
  connection(): NatsConnection
  /** Stops retrying and closes the connection. */
  close(): Promise<void>
}

// A server that accepts the connection without responding must not block an attempt for long.
const dialMs = 5_000
// Maximum wait for the first attempt, so that a reachable bus is usable immediately.
const firstTryMs = 2_000
const pauses = { minMs: 100, maxMs: 5_000 }

/** Reporting of a connection; `setting` is the source of the servers. */
export interface LinkReport {
  readonly log?: Logger | undefined
  readonly setting?: string
}

/**
 * Starts to connect. Resolves when the first attempt has ended, successful or not. Rejects invalid options, credentials and certificates.
 */
export async function openNatsLink(options: NodeConnectionOptions, report: LinkReport = {}): Promise<NatsLink> {
  const closed = new AbortController()
  const target = `${report.setting ?? 'NATS_URL'}: ${hostsOf(options)}`
  const state = createState(target, report.log)
  const tried = Promise.withResolvers<void>()
  let connection: NatsConnection | undefined
  let refused: BusRefused | undefined
  const dial = async (): Promise<void> => {
    for (let failures = 0; !closed.signal.aborted; failures++) {
      try {
        const made = await connect({ ...defaults, ...options })
        if (closed.signal.aborted) return await made.close()
        connection = made
        state.tell(true)
        follow(made, state, closed.signal).catch((error: unknown) => state.tell(false, error))
        return
      } catch (error) {
        if (error instanceof errors.InvalidArgumentError) return tried.reject(error)
        const refusal = refusalOf(error)
        if (refusal !== undefined) return tried.reject((refused = new BusRefused(target, refusal.text, refusal.cause)))
        state.tell(false, error)
      } finally {
        tried.resolve()
      }
      await sleep(backoffMs(failures, pauses), closed.signal)
    }
  }
  // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
  void dial()
  await Promise.race([tried.promise, sleep(firstTryMs, undefined, { ref: false })])
  return {
    connection: () => {
      if (refused !== undefined) throw refused
      if (connection === undefined || !state.up() || connection.isClosed())
        throw new Fail('bus_unavailable', state.problem())
      return connection
    },
    close: async () => {
      closed.abort()
      if (connection === undefined) return
      await settled(connection)
      await connection.close()
    },
  }
}

const defaults: NodeConnectionOptions = {
  name: 'mesh',
  maxReconnectAttempts: -1,
  reconnectTimeWait: 500,
  pingInterval: 10_000,
  timeout: dialMs,
  // A server whose accounts are being changed must not end the connection permanently.
  ignoreAuthErrorAbort: true,
}

// Failures that waiting does not resolve: rejected credentials, and an untrusted certificate.
function refusalOf(error: unknown): { readonly text: string; readonly cause: Error } | undefined {
  if (error instanceof errors.AuthorizationError) return { text: error.message, cause: error }
  const problem = connectProblem(error)
  return problem?.kind === 'tls' && error instanceof Error ? { text: problem.text, cause: error } : undefined
}

// Credentials are separate options, but an address may also contain some.
function hostsOf({ servers }: NodeConnectionOptions): string {
  return [servers ?? []]
    .flat()
    .map((server) => server.replace(/^[a-z]+:\/\//, '').replace(/^.*@/, ''))
    .join(', ')
}

interface LinkState {
  up(): boolean
  /** `NATS_URL: 127.0.0.1:4222 refused the connection`. */
  problem(): string
  tell(up: boolean, error?: unknown): void
}

// Logs one line per change of state, none per attempt.
function createState(target: string, log: Logger | undefined): LinkState {
  let known: boolean | undefined
  let problem = `${target} does not respond`
  return {
    up: () => known === true,
    problem: () => problem,
    tell: (up, error) => {
      const before = known
      known = up
      if (!up) problem = problemOf(target, error)
      if (up && before === false) log?.info({}, 'NATS reconnected')
      if (!up && before !== false) log?.warn({ reason: problem }, 'NATS not reachable, retrying')
    },
  }
}

function problemOf(target: string, error: unknown): string {
  if (error === undefined) return `${target}: the connection was lost`
  const problem = connectProblem(error)
  return problem === undefined
    ? `${target}: ${error instanceof Error ? error.name : 'disconnected'}`
    : `${target} ${problem.text}`
}

async function follow(connection: NatsConnection, state: LinkState, closed: AbortSignal): Promise<void> {
  for await (const status of connection.status()) {
    if (closed.aborted) return
    if (status.type === 'disconnect' || status.type === 'staleConnection') state.tell(false)
    if (status.type === 'reconnect') state.tell(true)
  }
}

// Closing writes to the socket. If the server has just exited, the client turns that error into an exit of the process. A flush first
// either succeeds or lets the client detect the loss.
async function settled(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) return
  const gone = sleep(200, undefined, { ref: false })
  await Promise.race([connection.flush(), gone]).catch(() => undefined)
}
