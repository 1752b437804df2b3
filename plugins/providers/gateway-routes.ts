import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import { serverReplyOf } from '#core/http/endpoint/reply.ts'
import { refuseUnenforced } from '#core/plugin/enforced-fields.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { isObject } from '#core/json/is-object.ts'
import { documentOf } from '#core/http/input/body.ts'
import { headerValues } from '#core/http/input/bearer-token.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { payerHeader } from '#core/retrieval/payer.ts'
import { parseLabel } from '#core/kube/names.ts'
import { childOf, formatTraceparent, parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/conversation-id.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { Operation } from './adapter.ts'
import type { AgentRuns, OwnerOfRun } from './agent-model.ts'
import { callAgent } from './gateway/call-agent.ts'
import { callModel } from './gateway/call-model.ts'
import { messagesApi, openAiApi, responsesApi, toChatRequest } from './gateway/caller-api.ts'
import type { CallerApi } from './gateway/caller-api.ts'
import { countTokens, noTokenCount } from './gateway/count-tokens.ts'
import { getModel } from './gateway/get-model.ts'
import type { GatewayCall } from './gateway/gateway-call.ts'
import { listModels } from './gateway/list-models.ts'
import { readModelRequest } from './gateway/model-request.ts'
import type { Body } from './gateway/model-request.ts'
import { passesMessages, readNativeCount, readNativeMessages } from './gateway/native-messages.ts'
import { withPayment } from './gateway/pay-call.ts'
import { payerOf, refusedPayer } from './gateway/payer.ts'
import { authenticate } from './gateway/principal.ts'
import { usableRoute } from './gateway/usable-route.ts'
import type { UsableRoute } from './gateway/usable-route.ts'
import { parseModel } from './gateway/model-name.ts'
import type { ModelName } from './gateway/model-name.ts'
import { createFilters, withFilters } from './filters/create-filters.ts'
import type { Filters } from './filters/create-filters.ts'
import type { ProvidersServices } from './services.ts'
import { agentRuns, callAdmission } from './points.ts'

// A provider's parameters differ, and its SDKs send some in the query (`?api-version=`): only the fields that the gateway reads are checked.
const open = {
  authz: { kind: 'bearer' },
  query: Type.Object({}, { additionalProperties: true }),
  response: { 200: Type.Unknown() },
} as const

interface Served {
  readonly path: string
  readonly summary: string
  readonly operation: Operation
  readonly api: CallerApi
}

const served: readonly Served[] = [
  {
    path: 'chat/completions',
    summary: 'Create a chat completion.',
    operation: 'chat/completions',
    api: openAiApi,
  },
  { path: 'embeddings', summary: 'Create embeddings.', operation: 'embeddings', api: openAiApi },
  {
    path: 'messages',
    summary: 'Create a message (Anthropic): as it is for providers with that API, for others as a chat completion.',
    operation: 'chat/completions',
    api: messagesApi,
  },
  {
    path: 'responses',
    summary: 'Create a response that is not stored, as a chat completion.',
    operation: 'chat/completions',
    api: responsesApi,
  },
]

/** The APIs of OpenAI and Anthropic on port 4000; errors have the form of the caller's API (`gateway/error-format.ts`). */
export function gatewayRoutes(services: ProvidersServices, gateway: GatewayContext): readonly AnyEndpoint[] {
  const { bodyLimit } = services.settings
  const filters = createFilters(services.core)
  const operations = served.map(({ path, summary, operation, api }) =>
    endpoint({
      ...open,
      method: 'POST',
      url: `/v1/${path}`,
      summary,
      body: Type.Unknown(),
      bodyLimit,
      handle: (call) => respond(services, gateway, { operation, api, call, filters }),
    }),
  )
  const count = endpoint({
    ...open,
    method: 'POST',
    url: '/v1/messages/count_tokens',
    summary: 'Count the tokens of a message (Anthropic), for providers with that API. It costs nothing.',
    body: Type.Unknown(),
    bodyLimit,
    handle: (call) => respondWithCount(services, gateway, { call, filters }),
  })
  const list = endpoint({
    ...open,
    method: 'GET',
    url: '/v1/models',
    summary: 'List the models that the caller may use.',
    handle: async (call) => listModels(await openCall(services, { gateway, api: openAiApi }, call)),
  })
  const get = endpoint({
    ...open,
    method: 'GET',
    // Ids contain slashes, which SDKs send escaped or unescaped.
    url: '/v1/models/*',
    summary: 'Get a model.',
    params: Type.Object({ '*': Type.String() }),
    handle: async (call) => getModel(await openCall(services, { gateway, api: openAiApi }, call), call.params['*']),
  })
  return [...operations, count, list, get]
}

type Exchange = Pick<Call<unknown, unknown, unknown>, 'bearer' | 'body' | 'request' | 'reply' | 'signal'>

interface Asked {
  readonly operation: Operation
  readonly api: CallerApi
  readonly call: Exchange
  readonly filters: Filters | undefined
}

async function respond(
  services: ProvidersServices,
  gateway: GatewayContext,
  { operation, api, call: exchange, filters }: Asked,
): Promise<void> {
  const call = await openCall(services, { gateway, api }, exchange)
  if (call.payer !== undefined && operation !== 'embeddings') throw refusedPayer('names who pays for embeddings only')
  const native = api === messagesApi ? await nativeCall(services, call, exchange) : undefined
  if (native !== undefined) return respondNatively(services, call, { ...native, filters })
  const body = readModelRequest(operation, toChatRequest(api, exchange.body))
  const model = parseModel(body.model, call.namespace)
  if (model.kind === 'route') {
    const route = await usableRoute(gateway, call.principal, model)
    await admit(services, call, route)
    const target = { operation, model, uid: route.uid, streamed: body.stream === true }
    await withPayment(services.core, { call, model: { operation, route, body } }, (payment) =>
      withFilters(filters, { call, target, body }, (filtered, applying) =>
        callModel(services, call, { operation, route, body: filtered, payment, filters: applying }),
      ),
    )
  } else if (operation === 'embeddings') {
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: '/model', detail: 'must be a route: agents have no embeddings' }],
    })
  } else {
    const { agentTimeout, filterLimit } = services.settings
    const chat = { runs: runsOf(services), agent: model, timeoutMs: agentTimeout * 1000, now: services.core.now }
    await callAgent(call, { ...chat, body, filters, filterLimit })
  }
}

interface NativeCall {
  readonly body: Body
  readonly model: ModelName
  readonly route: UsableRoute
}

/** A request of the Messages API for a route whose providers have that API; undefined for any other. */
async function nativeCall(
  services: ProvidersServices,
  call: GatewayCall,
  { body: given }: Exchange,
): Promise<NativeCall | undefined> {
  if (!isObject(given) || typeof given.model !== 'string' || given.model === '') return undefined
  const model = parseModel(given.model, call.namespace)
  if (model.kind === 'agent') return undefined
  const route = await usableRoute(call.gateway, call.principal, model)
  if (!(await passesMessages(services, call, route))) return undefined
  return { body: readModelRequest('chat/completions', given), model, route }
}

async function respondNatively(
  services: ProvidersServices,
  call: GatewayCall,
  { body, model, route, filters }: NativeCall & Pick<Asked, 'filters'>,
): Promise<void> {
  const operation = 'chat/completions'
  const native = readNativeMessages(body, call.header('anthropic-beta'))
  await admit(services, call, route)
  const target = { operation, model, uid: route.uid, streamed: body.stream === true } as const
  await withPayment(services.core, { call, model: { operation, route, body, native } }, (payment) =>
    withFilters(filters, { call, target, body, isMessages: true }, (filtered, applying) =>
      callModel(services, call, { operation, route, body: filtered, payment, filters: applying, native }),
    ),
  )
}

// No limit of money or rate applies, and no live hold is asked for. Filters see what the provider would.
async function respondWithCount(
  services: ProvidersServices,
  gateway: GatewayContext,
  { call: exchange, filters }: Pick<Asked, 'call' | 'filters'>,
): Promise<void> {
  const call = await openCall(services, { gateway, api: messagesApi }, exchange)
  if (call.payer !== undefined) throw refusedPayer('names who pays for embeddings only')
  const body = readModelRequest('chat/completions', exchange.body)
  const model = parseModel(body.model, call.namespace)
  if (model.kind === 'agent') throw noTokenCount()
  const route = await usableRoute(gateway, call.principal, model)
  if (!(await passesMessages(services, call, route))) throw noTokenCount()
  const native = readNativeCount(body, call.header('anthropic-beta'))
  const target = { operation: 'chat/completions', model, uid: route.uid, streamed: false } as const
  await withFilters(filters, { call, target, body, isMessages: true }, (filtered) =>
    countTokens(services, call, { route, body: filtered, native }),
  )
}

async function admit(
  { core }: ProvidersServices,
  { principal, header }: GatewayCall,
  route: UsableRoute,
): Promise<void> {
  if (principal.kind === 'person') return
  const { agent } = principal
  const asked = { agent, route: `${route.namespace}/${route.name}`, header }
  for (const { admit: decide } of core.extensions(callAdmission)) await decide(asked)
}

function runsOf(services: ProvidersServices): AgentRuns | undefined {
  return services.core.extensions(agentRuns)[0]
}

async function openCall(
  services: ProvidersServices,
  { gateway, api }: Pick<GatewayCall, 'gateway' | 'api'>,
  { bearer, body, request, reply: ours, signal }: Exchange,
): Promise<GatewayCall> {
  const startedAt = performance.now()
  const reply = serverReplyOf({ reply: ours })
  const { rawHeaders } = request.raw
  const principal = await authenticate(gateway, bearer)
  const payer = await payerOf(gateway, principal, single(rawHeaders, payerHeader))
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
    document: () => documentOf(body),
    traceparent: traceparentOf(single(rawHeaders, 'traceparent'), run?.traceId),
    signal,
    startedAt,
    response: reply.raw,
    headers: { ...reply.getHeaders(), ...(runId === undefined ? {} : { 'x-mesh-run-id': runId }) },
    take: () => {
      reply.hijack()
    },
  }
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
  throw new Fail('forbidden', 'X-Mesh-Run-Id names no run of this agent.')
}

function single(rawHeaders: readonly string[], name: string): string | undefined {
  const values = headerValues(rawHeaders, name)
  if (values.length > 1) throw new Fail('malformed_request', `The header ${name} is given more than once.`)
  return values[0]
}
