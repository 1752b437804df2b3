import { randomUUID } from 'node:crypto'
import { digestPayload, signEnvelope } from '#core/signing/envelope.ts'
import type { EnvelopeClaims } from '#core/signing/envelope.ts'
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import type { TestLauncher } from '#core/signing/testing/test-issuer.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentPath } from '#schemas/launcher/envelope.ts'
import type { Peer, PeerRegistry } from '#schemas/launcher/envelope.ts'
import type { PeerSource, FoundPeer } from '#plugins/registries/launcher/directory.ts'

export type { EnvelopeClaims }

/** Certifies the launchers of these tests. */
export const testIssuer = createTestIssuer()

/** An agent with a certified launcher. */
export interface KeyedAgent extends AgentName {
  readonly launcher: TestLauncher
  readonly peer: Peer
}

/** Creates an agent of the namespace `default` with its own launcher and the uid `uid-<name>`. */
export async function keyedAgent(name: string, more: Partial<Peer> = {}): Promise<KeyedAgent> {
  const base = { namespace: 'default', name, role: 'member', outbound: true, inbound: true, uid: `uid-${name}` }
  const peer: Peer = { ...base, ...more }
  return { namespace: peer.namespace, name, launcher: await testIssuer.launcherOf(peer.uid), peer }
}

/** The registry `default/team` with these members. */
export function registryOf(...members: readonly KeyedAgent[]): PeerRegistry {
  return { id: 'default/team', role: 'member', maxDepth: 8, peers: members.map(({ peer }) => peer) }
}

/** A directory with fixed content that never calls the state role. */
export function fixedDirectory(registry: PeerRegistry): PeerSource {
  const found = (fits: (peer: Peer) => boolean): FoundPeer | undefined => {
    const peer = registry.peers.find(fits)
    return peer && { registry, peer }
  }
  return {
    target: async (name) =>
      found((peer) => peer.outbound && peer.name === name) ??
      (found((peer) => peer.name === name) === undefined ? undefined : 'forbidden'),
    caller: async (id, agent, uid) =>
      id === registry.id ? found((peer) => agentPath(peer) === agent && peer.uid === uid) : undefined,
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
  return signEnvelope(from.launcher, { ...claimsOf(from, to, payload), ...some }, now)
}
