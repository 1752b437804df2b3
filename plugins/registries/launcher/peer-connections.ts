import type * as Undici from 'undici'
import type { Socket } from 'node:net'
import type { Dispatcher, buildConnector } from 'undici'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import { launcherProblem } from '#core/signing/launcher-proof.ts'
import type { Peer } from '#schemas/launcher/envelope.ts'

/** The peer is not a launcher of the called agent: the agent was re-created, or the peer is another program. Nothing was sent. */
export class PeerNotProved extends Error {
  override readonly name = 'PeerNotProved'
}

/** Connections to launchers of other agents, one pool per agent. */
export interface PeerConnections {
  /** Returns a dispatcher that only connects to launchers of this agent. */
  of(peer: Peer): Promise<Dispatcher>
  close(): Promise<void>
}

// Idle connections are closed by their keep-alive; this bounds the number of empty pools.
const maxPeers = 64
const maxConnections = 64
const connectTimeoutMs = 3_000

/**
 * TLS connections whose peer is certified for the called agent. The address proves nothing, since its pod also runs the agent. The payload is sent
 * only to an authenticated peer.
 */
export function createPeerConnections(issuer: CertificateIssuer): PeerConnections {
  const pools = new Map<string, Promise<Dispatcher>>()
  const open = async (agentUid: string): Promise<Dispatcher> => {
    const { Agent, buildConnector: build }: typeof Undici = await import('undici')
    const connect = provingConnector(build, (socket) => launcherProblem(socket, { ...issuer, agentUid }))
    return new Agent({
      connections: maxConnections,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      connect,
    })
  }
  return {
    async of({ uid }) {
      const pool = pools.get(uid) ?? open(uid)
      pools.delete(uid)
      pools.set(uid, pool)
      const [oldest] = pools
      if (oldest !== undefined && pools.size > maxPeers) {
        pools.delete(oldest[0])
        // Calls in progress complete. Closing a closed pool rejects.
        oldest[1].then((agent) => agent.close()).catch(() => undefined)
      }
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map(async (pool) => (await pool).destroy()))
    },
  }
}

function provingConnector(
  build: typeof buildConnector,
  problemOf: (socket: Socket) => Promise<string | undefined>,
): buildConnector.connector {
  // No session resumption: a resumed handshake has no certificate.
  const connect = build({
    allowH2: false,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    maxCachedSessions: 0,
    timeout: connectTimeoutMs,
  })
  return (target, connected) => {
    if (target.protocol !== 'https:') {
      connected(new Error('the address of the peer is not https'), null)
      return
    }
    connect(target, (error, socket) => {
      if (error !== null || socket === null) {
        connected(error ?? new Error('not connected'), null)
        return
      }
      handOver(socket, connected, problemOf)
    })
  }
}

/** Passes on an authenticated connection, and destroys any other. */
function handOver(
  socket: Socket,
  connected: buildConnector.Callback,
  problemOf: (socket: Socket) => Promise<string | undefined>,
): void {
  const refuse = (error: Error): void => {
    socket.destroy()
    connected(error, null)
  }
  problemOf(socket).then(
    (problem) =>
      problem === undefined ? connected(null, socket) : refuse(new PeerNotProved(`the peer is unverified: ${problem}`)),
    (error: unknown) =>
      refuse(error instanceof Error ? error : new Error('the peer cannot be verified', { cause: error })),
  )
}
