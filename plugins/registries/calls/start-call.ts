import type { StateContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { digestPayload, isPathOf, verifyEnvelope } from '#core/signing/envelope.ts'
import type { SignedEnvelope } from '#core/signing/envelope.ts'
import { JwsRefused } from '#core/signing/jws.ts'
import type { CertificateIssuer } from '#core/signing/launcher-certificate.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import type { PeerRun, RunsApi } from '#plugins/runs/contract/api.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentName } from '#schemas/names/delegates.ts'
import { agentPath, parseAgentPath } from '#schemas/launcher/envelope.ts'
import type { Envelope } from '#schemas/launcher/envelope.ts'
import { isConversationId } from '#schemas/names/conversation-id.ts'
import { registryErrors } from '../contract/errors.ts'
import { depthOf, isMember, mayCall, roleOf } from '../members/membership.ts'
import { findAgentObject, findRegistry } from './find-agent.ts'

/** Dependencies of calls between agents. */
export interface CallServices {
  readonly state: Pick<StateContext, 'cluster' | 'subjectMay'>
  readonly runs: Pick<RunsApi, 'startPeer'>
  readonly issuer: CertificateIssuer
}

/** A call that the launcher of the called agent forwards. */
export interface ReceivedCall {
  readonly envelope: string
  readonly payload: unknown
  readonly trace: Trace | undefined
}

/**
 * Creates the run of a call. The called launcher is not trusted: the envelope proves the call from the calling to the called agent. Membership and
 * policy are read from the cluster now.
 */
export async function startCall(services: CallServices, self: AgentName, call: ReceivedCall): Promise<PeerRun> {
  const signed = await verified(services, self, call.envelope)
  const { envelope } = signed
  const caller = await findCaller(services, signed)
  if (digestPayload(call.payload) !== envelope.payloadDigest) throw refused('The payload does not match the envelope.')
  if (!isPathOf(envelope)) throw refused('The path of the envelope does not match its depth.')
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

async function verified({ issuer }: CallServices, self: AgentName, token: string): Promise<SignedEnvelope> {
  try {
    return await verifyEnvelope(token, issuer, { to: agentPath(self) })
  } catch (error) {
    throw error instanceof JwsRefused ? refused('The envelope is not valid.') : error
  }
}

/** The agent whose launcher signed: the agent in the envelope, with the uid in the certificate. */
async function findCaller(
  { state }: CallServices,
  { envelope, launcher }: SignedEnvelope,
): Promise<AgentDeploymentObject> {
  const from = parseAgentPath(envelope.from)
  const caller = from && (await findAgentObject(state.cluster, from))
  if (caller === undefined || caller.metadata.uid !== launcher.agentUid)
    throw refused('The calling agent does not exist.')
  return caller
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
  if (role !== envelope.role) throw refused('The calling agent has a different role in the registry.')
  if (!mayCall(registry.spec, role, roleOf(registry, self))) throw refused('The registry does not allow the call.')
  return depthOf(registry.spec)
}

function nameOf({ metadata: { namespace = '', name } }: AgentDeploymentObject): AgentName {
  return { namespace, name }
}

function refused(detail: string): Fail {
  return new Fail(registryErrors.caller_not_allowed, detail)
}
