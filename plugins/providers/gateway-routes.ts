import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Operation } from './contract/adapter.ts'
import { refusePaidFields } from './gateway/request/check-fields.ts'
import { callAgent } from './gateway/call-agent.ts'
import { callModel } from './gateway/call-model.ts'
import { messagesApi, openAiApi, responsesApi, toChatRequest } from './gateway/request/caller-api.ts'
import type { CallerApi } from './gateway/request/caller-api.ts'
import { countTokens, noTokenCount } from './gateway/count-tokens.ts'
import { getModel } from './gateway/route/get-model.ts'
import type { GatewayCall } from './gateway/request/gateway-call.ts'
import { listModels } from './gateway/route/list-models.ts'
import { openCall, runsOf } from './gateway/open-call.ts'
import type { GatewayExchange } from './gateway/open-call.ts'
import { readModelRequest } from './gateway/request/model-request.ts'
import type { Body } from './gateway/request/model-request.ts'
import { readNativeCount, readNativeMessages } from './gateway/request/native-messages.ts'
import { passesMessages } from './gateway/route/passes-messages.ts'
import { checkCountedFields, withPayment } from './gateway/payment/pay-call.ts'
import { refusedPayer } from './gateway/payment/payer.ts'
import { usableRoute } from './gateway/route/usable-route.ts'
import type { UsableRoute } from './gateway/route/usable-route.ts'
import { parseModel } from './gateway/request/model-name.ts'
import type { ModelName } from './gateway/request/model-name.ts'
import { createFilters, withFilters } from './filters/create-filters.ts'
import type { Filters } from './filters/create-filters.ts'
import type { ProvidersServices } from './services/create-services.ts'
import { callAdmission } from './contract/points.ts'

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

interface Asked {
  readonly operation: Operation
  readonly api: CallerApi
  readonly call: GatewayExchange
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
    const asked = { operation, route, body }
    const onRules = (): void => refusePaidFields(asked)
    await withPayment(services.core, { call, model: asked }, (payment) =>
      withFilters(filters, { call, target, body, onRules }, (filtered, applying) =>
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
  { body: given }: GatewayExchange,
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
  const asked = { operation, route, body, native } as const
  const onRules = (): void => refusePaidFields(asked)
  await withPayment(services.core, { call, model: asked }, (payment) =>
    withFilters(filters, { call, target, body, isMessages: true, onRules }, (filtered, applying) =>
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
  const asked = { operation: 'chat/completions', route, body, native } as const
  await checkCountedFields(services.core, call, asked)
  const onRules = (): void => refusePaidFields(asked)
  await withFilters(filters, { call, target, body, isMessages: true, onRules }, (filtered) =>
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
