import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { digestPayload, signEnvelope } from '#core/signing/envelope.ts'
import type { SigningKey } from '#core/signing/keyring.ts'
import { fromThumbprinted, toThumbprinted } from '#core/signing/key-thumbprint.ts'
import type { AgentName } from '#schemas/delegates.ts'
import { agentPath } from '#schemas/envelope.ts'
import type { Peer, PeerRegistry } from '#schemas/envelope.ts'
import type { Directory, FoundPeer } from '../listeners/amp/directory.ts'

/** Claims of an envelope that a test may replace. */
export type EnvelopeClaims = Parameters<typeof signEnvelope>[1]

/** An agent with its key. */
export interface KeyedAgent extends AgentName {
  readonly key: SigningKey
  readonly privateKey: KeyObject
  readonly peer: Peer
}

/** Creates an agent of the namespace `default` with a new key. */
export function keyedAgent(name: string, more: Partial<Peer> = {}): KeyedAgent {
  const { privateKey } = generateKeyPairSync('ed25519')
  const published = toThumbprinted(privateKey)
  const base = { namespace: 'default', name, role: 'member', outbound: true, inbound: true }
  const peer = { ...base, keys: [published], ...more }
  return { namespace: peer.namespace, name, privateKey, key: { id: published.kid, key: privateKey }, peer }
}

/** The registry `default/team` with these members. */
export function registryOf(...members: readonly KeyedAgent[]): PeerRegistry {
  return { id: 'default/team', role: 'member', maxDepth: 8, peers: members.map(({ peer }) => peer) }
}

/** A directory that never asks. */
export function fixedDirectory(registry: PeerRegistry): Directory {
  const found = (fits: (peer: Peer) => boolean): FoundPeer | undefined => {
    const peer = registry.peers.find(fits)
    return peer && { registry, peer }
  }
  const keyOf = (agent: string, kid: string): KeyObject | undefined => {
    const key = found((peer) => agentPath(peer) === agent)?.peer.keys.find((one) => one.kid === kid)
    return key && fromThumbprinted(key)
  }
  return {
    target: async (name) =>
      found((peer) => peer.outbound && peer.name === name) ??
      (found((peer) => peer.name === name) === undefined ? undefined : 'forbidden'),
    caller: async (id, agent) => (id === registry.id ? found((peer) => agentPath(peer) === agent) : undefined),
    key: async (agent, kid) => keyOf(agent, kid),
    refresh: async () => undefined,
  }
}

/** Claims of a valid call. */
export function claimsOf(from: AgentName, to: AgentName, payload: unknown): EnvelopeClaims {
  const actor = `system:serviceaccount:${from.namespace}:${from.name}`
  return {
    id: randomUUID(),
    registry: 'default/team',
    from: agentPath(from),
    to: agentPath(to),
    role: 'member',
    access: { subject: 'alice', actor, scopes: [] },
    depth: 1,
    maxDepth: 8,
    path: [agentPath(from)],
    budget: null,
    deadline: new Date(Date.now() + 60_000).toISOString(),
    conversationId: null,
    rootRunId: null,
    parentRunId: null,
    idempotencyKey: randomUUID(),
    payloadDigest: digestPayload(payload),
  }
}

/** Signs a call; `some` replaces claims. */
export function envelopeOf(
  from: KeyedAgent,
  to: AgentName,
  payload: unknown,
  { some = {}, now = new Date() }: { readonly some?: Partial<EnvelopeClaims>; readonly now?: Date } = {},
): Promise<string> {
  return signEnvelope(from.key, { ...claimsOf(from, to, payload), ...some }, now)
}
