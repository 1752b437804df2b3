import type { Socket } from 'node:net'
import { Agent, Dispatcher, buildConnector } from 'undici'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import { formerKeyOf, launcherProblem } from '#core/signing/launcher-proof.ts'

/** The peer did not prove that it is a launcher of the agent. No request was sent to it. */
export class LauncherUnproven extends Error {
  override readonly name = 'LauncherUnproven'
  readonly code = 'MESH_LAUNCHER_UNPROVEN'
  constructor(why: string) {
    super(`peer did not prove that it is a launcher of the agent: ${why}`)
  }
}

/** The connection broke during the handshake. No request was sent. */
export class LauncherUnconnected extends Error {
  override readonly name = 'LauncherUnconnected'
  readonly code = 'MESH_LAUNCHER_UNCONNECTED'
}

/** Connections to launchers per agent. Each starts with the proof that the peer is certified for that agent. */
export interface LauncherConnections {
  /** Returns a dispatcher for launchers of this agent only. */
  of(agentUid: string): Dispatcher
  /** Whether the latest connection to a launcher of the agent failed because of its proof. */
  isUnproven(agentUid: string): boolean
  close(): Promise<void>
}

/** Options of `createLauncherConnections`. */
export interface LauncherConnectionsOptions {
  /** Issuer of the launchers' certificates. */
  readonly issuer: CertificateIssuer
  /** Public keys (PEM, SPKI) of launchers without certificates that are still valid after an upgrade. */
  readonly formerKeysOf: (agentUid: string) => Promise<readonly string[]>
  /** Called for the first failed proof after a successful one. */
  readonly onUnproven: (agentUid: string, error: LauncherUnproven) => void
}

interface Entry {
  readonly agent: Agent
  unproven: boolean
}

// Idle connections are closed by their keep-alive; this bounds the number of empty pools.
const maxAgents = 512
// Each event stream occupies a connection, so a limit of the pool would limit runs.
const pool = { connections: null, allowH2: false, pipelining: 1, keepAliveTimeout: 30_000 }
// A deleted pod does not refuse connections: it never responds. The worker should soon try the next one.
const connectTimeoutMs = 3_000

/**
 * Creates TLS connections to launchers with a certificate for the agent. The address proves nothing, since it belongs to a pod that also
 * runs the agent. A handshake signed with the certified key proves that every response and entry comes from the launcher (PODS4). A forged
 * peer receives no request, hence neither grant nor input.
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
  // Pending requests complete. Closing a closed pool rejects.
  oldest[1].agent.close().catch(() => undefined)
}

/** Looks up the pool per request, so that a closed pool is replaced. */
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
  { issuer, formerKeysOf }: LauncherConnectionsOptions,
  agentUid: string,
  note: (error: LauncherUnproven | undefined) => void,
): buildConnector.connector {
  // No session resumption: a resumed handshake has no certificate.
  const connect = buildConnector({
    allowH2: false,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
  })
  const prove = async (target: buildConnector.Options): Promise<Socket> => {
    if (target.protocol !== 'https:') throw new LauncherUnproven('the address is not https')
    const socket = await new Promise<Socket>((resolve, reject) =>
      connect(target, (error, made) => (error === null && made ? resolve(made) : reject(toConnectError(error)))),
    )
    const problem = await launcherProblem(socket, { ...issuer, agentUid })
    if (problem === undefined) return socket
    const key = formerKeyOf(socket)
    if (key !== undefined && (await formerKeysOf(agentUid)).includes(key)) return socket
    socket.destroy()
    throw new LauncherUnproven(problem)
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

// No request was sent, since the handshake did not complete.
function toConnectError(error: Error | null): Error {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (error !== null && (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ENOTFOUND'))
    return error
  if (code === 'ECONNRESET') return new LauncherUnconnected('connection broke during the handshake')
  return new LauncherUnproven(`the handshake failed (${code ?? 'unknown'})`)
}
