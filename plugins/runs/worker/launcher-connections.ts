import { X509Certificate, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Agent, Dispatcher, buildConnector } from 'undici'

/** The other side of a connection did not prove that it is a launcher of the agent; nothing was sent to it. */
export class LauncherUnproven extends Error {
  override readonly name = 'LauncherUnproven'
  readonly code = 'MESH_LAUNCHER_UNPROVEN'
  constructor(why: string) {
    super(`the other side did not prove that it is the agent's launcher: ${why}`)
  }
}

/** The connection broke before its other side could prove itself; nothing was sent. */
export class LauncherUnconnected extends Error {
  override readonly name = 'LauncherUnconnected'
  readonly code = 'MESH_LAUNCHER_UNCONNECTED'
}

/** Connections to launchers, by agent: each begins with the launcher's proof that it has a key of that agent. */
export interface LauncherConnections {
  /** Sends requests to launchers of this agent alone. */
  of(agentUid: string): Dispatcher
  /** Whether the latest connection to a launcher of the agent failed for want of its proof. */
  isUnproven(agentUid: string): boolean
  close(): Promise<void>
}

/** What connections are made with. */
export interface LauncherConnectionsOptions {
  /** Valid public keys (PEM, SPKI) of the agent's launchers. */
  readonly keysOf: (agentUid: string) => Promise<readonly string[]>
  /** Called at the first failed proof after a good one. */
  readonly onUnproven: (agentUid: string, error: LauncherUnproven) => void
}

interface Entry {
  readonly agent: Agent
  unproven: boolean
}

// Connections of an agent without runs are closed by their keep-alive; this bounds the empty pools.
const maxAgents = 512
// One connection per event stream: the pool's cap would be the cap on runs, so there is none.
const pool = { connections: null, pipelining: 1, keepAliveTimeout: 30_000 }
// A pod that went a moment ago refuses nothing, it is silent: the next one is tried soon.
const connectTimeoutMs = 3_000

/**
 * TLS with the agent's own key as the pin: the address belongs to a pod in which the agent runs too, so it proves
 * nothing. What arrives over a connection whose handshake was signed with the key comes from the launcher (PODS4), each
 * answer, refusal and entry; a forger gets the handshake and no request, so neither grant nor input.
 */
export function createLauncherConnections(options: LauncherConnectionsOptions): LauncherConnections {
  const entries = new Map<string, Entry>()
  const entryOf = (agentUid: string): Entry => {
    const known = entries.get(agentUid)
    if (known !== undefined) return known
    const entry: Entry = {
      agent: new Agent({
        ...pool,
        connect: provingConnector(options, agentUid, (error) => note(entry, agentUid, error)),
      }),
      unproven: false,
    }
    entries.set(agentUid, entry)
    closeOldest(entries)
    return entry
  }
  const note = (entry: Entry, agentUid: string, error: LauncherUnproven | undefined): void => {
    if (error !== undefined && !entry.unproven) options.onUnproven(agentUid, error)
    entry.unproven = error !== undefined
  }
  return {
    of: (agentUid) => new AgentDispatcher(() => entryOf(agentUid).agent),
    isUnproven: (agentUid) => entries.get(agentUid)?.unproven === true,
    close: async () => {
      await Promise.all([...entries.values()].map(({ agent }) => agent.destroy()))
    },
  }
}

function closeOldest(entries: Map<string, Entry>): void {
  const [oldest] = entries
  if (oldest === undefined || entries.size <= maxAgents) return
  entries.delete(oldest[0])
  // Requests that are under way end by themselves. A closed pool refuses to be closed again.
  oldest[1].agent.close().catch(() => undefined)
}

/** Looks the pool up for each request: one that was closed meanwhile is made again. */
class AgentDispatcher extends Dispatcher {
  readonly #agent: () => Agent
  constructor(agent: () => Agent) {
    super()
    this.#agent = agent
  }
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return this.#agent().dispatch(options as Agent.DispatchOptions, handler)
  }
}

function provingConnector(
  { keysOf }: LauncherConnectionsOptions,
  agentUid: string,
  note: (error: LauncherUnproven | undefined) => void,
): buildConnector.connector {
  // No session is resumed: a resumed handshake carries no certificate.
  const connect = buildConnector({
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
  })
  const prove = async (target: buildConnector.Options): Promise<Socket> => {
    if (target.protocol !== 'https:') throw new LauncherUnproven('its address is not an https one')
    const keys = await keysOf(agentUid)
    const socket = await new Promise<Socket>((resolve, reject) =>
      connect(target, (error, made) => (error === null && made ? resolve(made) : reject(toConnectError(error)))),
    )
    const problem = problemOf(socket, keys)
    if (problem === undefined) return socket
    socket.destroy()
    throw problem
  }
  const report = async (target: buildConnector.Options, connected: buildConnector.Callback): Promise<void> => {
    const outcome = await prove(target).then(
      (socket) => ({ socket }),
      (error: Error) => ({ error }),
    )
    if ('socket' in outcome) note(undefined)
    else if (outcome.error instanceof LauncherUnproven) note(outcome.error)
    if ('socket' in outcome) connected(null, outcome.socket)
    else connected(outcome.error, null)
  }
  return (target, connected) => {
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    void report(target, connected)
  }
}

function problemOf(socket: Socket, keys: readonly string[]): LauncherUnproven | undefined {
  const key = socket instanceof TLSSocket ? peerKey(socket) : undefined
  if (key === undefined) return new LauncherUnproven('it has no certificate')
  if (keys.length === 0) return new LauncherUnproven('no key of the agent is recorded')
  if (!keys.some((pem) => createPublicKey(pem).equals(key)))
    return new LauncherUnproven('its key is none of the agent’s')
  return undefined
}

function peerKey(socket: TLSSocket): KeyObject | undefined {
  const certificate = socket.getPeerX509Certificate()
  return certificate instanceof X509Certificate ? certificate.publicKey : undefined
}

// Whatever fails before the handshake ends, no request was sent.
function toConnectError(error: Error | null): Error {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (error !== null && (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ENOTFOUND'))
    return error
  if (code === 'ECONNRESET') return new LauncherUnconnected('the connection broke during the handshake')
  return new LauncherUnproven(`the handshake failed (${code ?? 'unknown'})`)
}
