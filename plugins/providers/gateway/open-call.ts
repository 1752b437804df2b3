import type { Call } from '#core/http/endpoint/endpoint.ts'
import { serverReplyOf } from '#core/http/endpoint/reply.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { documentOf } from '#core/http/input/body.ts'
import { headerValues } from '#core/http/input/bearer-token.ts'
import { parseLabel } from '#core/kube/names.ts'
import { refuseUnenforced } from '#core/plugin/enforced-fields.ts'
import { payerHeader } from '#core/retrieval/payer.ts'
import { capHeader } from '#core/role-models/spend-cap.ts'
import { childOf, formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/names/conversation-id.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentRuns, OwnerOfRun } from '../contract/agent-model.ts'
import { agentRuns } from '../contract/points.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import type { GatewayCall } from './request/gateway-call.ts'
import { capOf, payerOf } from './payment/payer.ts'
import { authenticate } from './request/principal.ts'

/** A request of the gateway, as the framework passes it. */
export type GatewayExchange = Pick<
  Call<unknown, unknown, unknown>,
  'bearer' | 'body' | 'request' | 'reply' | 'signal' | 'note'
>

/** Returns the services of the plugin that owns runs. */
export function runsOf(services: ProvidersServices): AgentRuns | undefined {
  return services.core.extensions(agentRuns)[0]
}

/** Authenticates a request and reads everything except its body. Throws the refusal. */
export async function openCall(
  services: ProvidersServices,
  { gateway, api }: Pick<GatewayCall, 'gateway' | 'api'>,
  { bearer, body, request, reply: ours, signal, note }: GatewayExchange,
): Promise<GatewayCall> {
  const startedAt = performance.now()
  const reply = serverReplyOf({ reply: ours })
  const { rawHeaders } = request.raw
  const principal = await authenticate(gateway, bearer)
  const named = await payerOf(gateway, principal, single(rawHeaders, payerHeader))
  const cap = capOf(named, single(rawHeaders, capHeader))
  const payer = named && { ...named, cap }
  const agent = principal.kind === 'pod' ? principal.agent : payer?.agent
  refuseUnenforced(agent?.spec, services.core.unenforced(AgentDeployment.kind))
  const agentUid = principal.kind === 'pod' ? principal.agentUid : payer?.agent?.metadata.uid
  const run = await ownRun(services, agentUid, rawHeaders)
  const runId = run?.id
  const given = single(rawHeaders, 'x-mesh-namespace')
  const narrowedTo = given === undefined ? undefined : parseLabel('X-Mesh-Namespace', given)
  return {
    gateway,
    api,
    principal,
    namespace: narrowedTo ?? parseLabel('namespace', principal.kind === 'pod' ? principal.namespace : 'default'),
    narrowedTo,
    payer,
    runId,
    rootRunId: run?.rootRunId,
    agentUid,
    conversationId: conversationOf(rawHeaders),
    header: (name) => single(rawHeaders, name),
    given: request.raw.headers,
    document: () => documentOf(body),
    traceparent: traceparentOf(single(rawHeaders, 'traceparent'), run?.traceId),
    note,
    signal,
    startedAt,
    deadlineAt: deadlineOf(startedAt, request.raw.headers['x-stainless-timeout']),
    response: reply.raw,
    headers: { ...reply.getHeaders(), ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }) },
    take: () => {
      reply.hijack()
    },
  }
}

// SDKs of OpenAI and Anthropic send the seconds for which they wait.
function deadlineOf(startedAt: number, given: string | string[] | undefined): number | undefined {
  return typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given) ? startedAt + Number(given) * 1000 : undefined
}

function conversationOf(rawHeaders: readonly string[]): string | undefined {
  const given = single(rawHeaders, 'x-conversation-id')
  if (given === undefined || isConversationId(given)) return given
  throw new Fail('malformed_request', `X-Conversation-Id: ${CONVERSATION_ID_DETAIL}.`, {
    errors: [{ pointer: 'X-Conversation-Id', detail: CONVERSATION_ID_DETAIL }],
  })
}

// Recorded data belongs to the trace of the caller's own run, or to a new trace, since a caller can send any traceparent (SEC26).
function traceparentOf(given: string | undefined, traceOfRun: string | undefined): string {
  const caller = parseTraceparent(given)
  return formatTraceparent(caller !== undefined && caller.traceId === traceOfRun ? childOf(caller) : startTrace())
}

// Only runs of the agent may be named. Without stored runs this cannot be checked, so the header is ignored.
async function ownRun(
  services: ProvidersServices,
  agentUid: string | undefined,
  rawHeaders: readonly string[],
): Promise<(Pick<OwnerOfRun, 'traceId' | 'rootRunId'> & { readonly id: string }) | undefined> {
  const named = single(rawHeaders, 'x-mesh-run-id')
  const runs = runsOf(services)
  if (agentUid === undefined || named === undefined || runs === undefined) return undefined
  const owner = await runs.agentOf(named)
  if (owner?.uid === agentUid) return { ...owner, id: named }
  throw new Fail('forbidden', 'X-Mesh-Run-Id is not the id of a run of this agent.')
}

function single(rawHeaders: readonly string[], name: string): string | undefined {
  const values = headerValues(rawHeaders, name)
  if (values.length > 1) throw new Fail('malformed_request', `The header ${name} is given more than once.`)
  return values[0]
}
