import { createPublicKey } from 'node:crypto'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { namedCaller, digestPayload, isPathOf, verifyEnvelope } from '#core/signing/envelope.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import { toThumbprinted } from '#core/signing/key-thumbprint.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { PeerRun, RunsApi, RunsSystem } from '#plugins/runs/api.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentName } from '#schemas/delegates.ts'
import { agentPath, parseAgentPath } from '#schemas/envelope.ts'
import type { Envelope } from '#schemas/envelope.ts'
import { isConversationId } from '#schemas/conversation-id.ts'
import { registryErrors } from '../errors.ts'
import { depthOf, isMember, mayCall, roleOf } from '../members/membership.ts'
import { findAgentObject, findRegistry } from './find-agent.ts'

/** Dependencies of calls between agents. */
export interface CallServices {
  readonly state: Pick<StateContext, 'cluster' | 'subjectMay'>
  readonly runs: Pick<RunsApi, 'startPeer'>
  readonly keys: Pick<RunsSystem, 'launcherKeys'>
  readonly now: () => Date
}

/** A call as the launcher of the called agent passes it on. */
export interface ReceivedCall {
  readonly envelope: string
  readonly payload: unknown
  readonly trace: Trace | undefined
}

/**
 * Creates the run of a call. The called launcher is not believed: the envelope proves that the calling agent made this call to this agent,
 * and membership and policy are those of the cluster at this moment.
 */
export async function startCall(services: CallServices, self: AgentName, call: ReceivedCall): Promise<PeerRun> {
  const caller = await findCaller(services, call.envelope)
  const envelope = await verified(services, caller, { self, token: call.envelope })
  if (digestPayload(call.payload) !== envelope.payloadDigest) throw refused('The payload is not that of the envelope.')
  if (!isPathOf(envelope)) throw refused('The path of the envelope does not fit its depth.')
  const maxDepth = await checkPolicy(services, caller, self, envelope)
  const conversationId = envelope.conversationId ?? undefined
  if (conversationId !== undefined && !isConversationId(conversationId))
    throw refused('The conversation id is malformed.')
  return services.runs.startPeer(services.state, {
    from: { ...nameOf(caller), uid: caller.metadata.uid ?? '' },
    to: self,
    parentRunId: envelope.parentRunId ?? undefined,
    subject: envelope.access.subject,
    path: envelope.path,
    maxDepth: Math.min(maxDepth, envelope.maxDepth),
    deadline: new Date(envelope.deadline),
    input: call.payload ?? null,
    payloadDigest: envelope.payloadDigest,
    idempotencyKey: envelope.idempotencyKey,
    conversationId,
    trace: call.trace,
  })
}

async function findCaller({ state }: CallServices, token: string): Promise<AgentDeploymentObject> {
  const from = parseAgentPath(namedCaller(token) ?? '')
  const caller = from && (await findAgentObject(state.cluster, from))
  if (caller === undefined) throw refused('The calling agent does not exist.')
  return caller
}

async function verified(
  { keys, now }: CallServices,
  caller: AgentDeploymentObject,
  { self, token }: { readonly self: AgentName; readonly token: string },
): Promise<Envelope> {
  const uid = caller.metadata.uid ?? ''
  const pems = (await keys.launcherKeys([uid])).get(uid) ?? []
  const known = pems.map((pem) => createPublicKey(pem))
  const find = (id: string) => known.find((key) => toThumbprinted(key).kid === id)
  try {
    return await verifyEnvelope(token, find, { to: agentPath(self), now })
  } catch (error) {
    throw error instanceof JwsRefused ? refused('The envelope is not valid.') : error
  }
}

/** Throws unless both agents are members and the policy allows the call. Returns the maximum depth of the registry. */
async function checkPolicy(
  { state: { cluster } }: CallServices,
  caller: AgentDeploymentObject,
  self: AgentName,
  envelope: Envelope,
): Promise<number> {
  const name = parseAgentPath(envelope.registry)
  const [registry, callee] = await Promise.all([name && findRegistry(cluster, name), findAgentObject(cluster, self)])
  if (registry === undefined || callee === undefined) throw refused('The registry does not exist.')
  if (!isMember(caller, registry) || !isMember(callee, registry))
    throw refused('The agents are not members of the registry.')
  const role = roleOf(registry, nameOf(caller))
  if (role !== envelope.role) throw refused('The calling agent has another role.')
  if (!mayCall(registry.spec, role, roleOf(registry, self))) throw refused('The registry does not allow the call.')
  return depthOf(registry.spec)
}

function nameOf({ metadata: { namespace = '', name } }: AgentDeploymentObject): AgentName {
  return { namespace, name }
}

function refused(detail: string): Fail {
  return new Fail(registryErrors.caller_not_allowed, detail)
}
