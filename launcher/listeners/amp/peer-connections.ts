import { X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type * as Undici from 'undici'
import type { Dispatcher, buildConnector } from 'undici'
import { fromThumbprinted } from '#core/signing/key-thumbprint.ts'
import type { Peer } from '#schemas/envelope.ts'
import { agentPath } from '#schemas/envelope.ts'

/** The peer has none of the keys that the directory names: it has another one since, or is another program. Nothing was sent. */
export class PeerNotProved extends Error {
  override readonly name = 'PeerNotProved'
}

/** Connections to launchers of other agents, one pool per agent. */
export interface PeerConnections {
  /** A dispatcher whose connections are with launchers of this agent only. */
  of(peer: Peer): Promise<Dispatcher>
  close(): Promise<void>
}

// Idle connections are closed by their keep-alive; this bounds the number of empty pools.
const maxPeers = 64
const maxConnections = 64
const connectTimeoutMs = 3_000

interface Entry {
  readonly agent: Promise<Dispatcher>
  readonly keys: Set<string>
  imported: readonly KeyObject[]
}

/**
 * TLS connections that are pinned to the keys of the called agent. The address proves nothing, since its pod also runs the agent. The
 * payload is sent only to a peer that has proved the key.
 */
export function createPeerConnections(): PeerConnections {
  const entries = new Map<string, Entry>()
  const open = (): Entry => {
    const entry: Entry = { keys: new Set(), imported: [], agent: import('undici').then((undici) => connectTo(undici)) }
    const connectTo = ({ Agent, buildConnector: build }: typeof Undici): Dispatcher =>
      new Agent({
        connections: maxConnections,
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: 10_000,
        connect: provingConnector(build, () => entry.imported),
      })
    return entry
  }
  return {
    async of(peer) {
      const path = agentPath(peer)
      const entry = entries.get(path) ?? open()
      entries.delete(path)
      entries.set(path, entry)
      if (peer.keys.length !== entry.keys.size || peer.keys.some(({ kid }) => !entry.keys.has(kid))) {
        entry.keys.clear()
        for (const { kid } of peer.keys) entry.keys.add(kid)
        entry.imported = peer.keys.flatMap((key) => fromThumbprinted(key) ?? [])
      }
      const [oldest] = entries
      if (oldest !== undefined && entries.size > maxPeers) {
        entries.delete(oldest[0])
        // Calls in progress complete. Closing a closed pool rejects.
        oldest[1].agent.then((agent) => agent.close()).catch(() => undefined)
      }
      return entry.agent
    },
    close: async () => {
      await Promise.all([...entries.values()].map(async ({ agent }) => (await agent).destroy()))
    },
  }
}

function provingConnector(build: typeof buildConnector, keys: () => readonly KeyObject[]): buildConnector.connector {
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
      if (isProved(socket, keys())) {
        connected(null, socket)
        return
      }
      socket.destroy()
      connected(new PeerNotProved('the peer did not prove a key of the agent'), null)
    })
  }
}

function isProved(socket: Socket, keys: readonly KeyObject[]): boolean {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  if (!(certificate instanceof X509Certificate)) return false
  const { publicKey } = certificate
  return keys.some((key) => key.equals(publicKey))
}
