import { randomUUID } from 'node:crypto'
import { digestPayload, signEnvelope } from '#core/signing/envelope.ts'
import type { EnvelopeClaims } from '#core/signing/envelope.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import type { LauncherSigner } from '#core/signing/launcher-token.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentPath, isDnsLabel, MAX_AMP_DEPTH } from '#schemas/launcher/envelope.ts'
import type { Envelope, Peer } from '#schemas/launcher/envelope.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { RunOrigin } from '#launcher/contract/runs/run-origin.ts'
import type { BudgetGuard } from './budget-guard.ts'
import type { PeerSource, FoundPeer } from './directory.ts'
import type { PeerResponse, SendCall } from './send-call.ts'

/** Dependencies of calls to other agents. */
export interface CallPeerOptions {
  readonly self: AgentName
  /** This launcher; undefined while it has no valid certificate. */
  readonly signer: () => LauncherSigner | undefined
  readonly directory: PeerSource
  readonly budget: BudgetGuard
  readonly send: SendCall
  /** Limits of the agent: maximum length of a chain of calls, and timeout of a call outside of a run. */
  readonly maxDepth: number
  readonly timeoutMs: number
  readonly now: () => Date
}

/** A call by the agent of this pod. */
export interface OutgoingCall {
  /** Name of the called agent, as written by the calling agent. */
  readonly target: string
  readonly payload: unknown
  /** The calling run and its origin; undefined: the agent calls on its own behalf. */
  readonly run: { readonly id: string; readonly origin: RunOrigin } | undefined
  readonly conversationId: string | undefined
  readonly idempotencyKey: string | undefined
  readonly traceparent: string
  readonly signal: AbortSignal
}

/**
 * Checks the guards, signs the envelope and forwards the call. Only names of members are resolved, never other input of the agent (E5). If an address
 * refuses the connection or does not authenticate as the agent, it is looked up again: a re-created peer has another uid. Throws `Refusal`.
 */
export async function callPeer(options: CallPeerOptions, call: OutgoingCall): Promise<PeerResponse> {
  const { directory, send } = options
  if (!isDnsLabel(call.target)) throw new Refusal('unknown_target', 'The target must be the name of an agent.')
  const found = await findPeer(options, call.target)
  const path = checkPath(options, call, found)
  const budget = await options.budget(call.run?.id)
  const idempotencyKey = call.idempotencyKey ?? randomUUID()
  const forward = async (to: FoundPeer): Promise<PeerResponse | 'unconnected'> => {
    const envelope = toEnvelope(options, call, { found: to, path, budget, idempotencyKey })
    const token = await sign(options, envelope)
    const { traceparent, signal, conversationId } = call
    const deadline = new Date(envelope.deadline)
    return send({ peer: to.peer, token, payload: call.payload, conversationId, traceparent, deadline, signal })
  }
  const answer = await forward(found)
  if (answer !== 'unconnected') return answer
  await directory.refresh()
  const again = await findPeer(options, call.target)
  const repeated = isSame(again.peer, found.peer) ? 'unconnected' : await forward(again)
  if (repeated === 'unconnected') throw new Refusal('upstream_failure', 'The called agent is not reachable.')
  return repeated
}

/** The member with a name. A call that no registry allows, and a call of the agent to itself, are refused with their own codes. */
async function findPeer({ directory, self }: CallPeerOptions, target: string): Promise<FoundPeer> {
  const found = await directory.target(target)
  if (found !== undefined && found !== 'forbidden') return found
  if (target === self.name) throw new Refusal('cycle_detected')
  throw new Refusal(found === 'forbidden' ? 'caller_not_allowed' : 'unknown_target')
}

function isSame(a: Peer, b: Peer): boolean {
  return a.url === b.url && a.uid === b.uid
}

/** Guards of the chain of calls. Returns the agents from the first one to this one. */
function checkPath(
  { self, maxDepth }: CallPeerOptions,
  { run }: OutgoingCall,
  { registry, peer }: FoundPeer,
): readonly string[] {
  const path = [...(run?.origin.path ?? []), agentPath(self)]
  if (path.includes(agentPath(peer))) throw new Refusal('cycle_detected')
  if (path.length > Math.min(maxDepth, registry.maxDepth, MAX_AMP_DEPTH)) throw new Refusal('depth_exceeded')
  return path
}

function toEnvelope(
  { self, now, timeoutMs, maxDepth }: CallPeerOptions,
  { run, payload, conversationId }: OutgoingCall,
  rest: {
    readonly found: FoundPeer
    readonly path: readonly string[]
    readonly budget: Envelope['budget']
    readonly idempotencyKey: string
  },
): EnvelopeClaims {
  const { registry, peer } = rest.found
  const actor = `system:serviceaccount:${self.namespace}:${self.name}`
  return {
    id: randomUUID(),
    registry: registry.id,
    from: agentPath(self),
    to: agentPath(peer),
    role: registry.role,
    access: { subject: run?.origin.subject ?? actor, actor, scopes: run?.origin.scopes ?? [] },
    depth: rest.path.length,
    maxDepth: Math.min(maxDepth, registry.maxDepth, MAX_AMP_DEPTH),
    path: rest.path,
    budget: rest.budget,
    deadline: (run?.origin.deadline ?? new Date(now().getTime() + timeoutMs)).toISOString(),
    conversationId: conversationId ?? null,
    rootRunId: run?.origin.rootRunId ?? null,
    parentRunId: run?.id ?? null,
    idempotencyKey: rest.idempotencyKey,
    payloadDigest: digestPayload(payload),
  }
}

async function sign({ signer, now }: CallPeerOptions, envelope: EnvelopeClaims): Promise<string> {
  const by = signer()
  if (by === undefined)
    throw new Refusal('upstream_failure', 'The launcher has no valid certificate.', { 'retry-after': '1' })
  return signEnvelope(by, envelope, now()).catch((error: unknown) => {
    if (!(error instanceof JwsRefused)) throw error
    throw new Refusal('malformed_request', 'The envelope of the call has more than 4 KiB: its names are too long.')
  })
}
