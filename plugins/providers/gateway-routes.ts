import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { GatewayContext } from '#core/plugin/role-contexts.ts'
import { messagesApi, openAiApi, responsesApi } from './gateway/request/caller-api.ts'
import { getModel } from './gateway/route/get-model.ts'
import { listModels } from './gateway/route/list-models.ts'
import { openCall } from './gateway/open-call.ts'
import { readNativeCount, readNativeMessages } from './gateway/request/native-messages.ts'
import { createFilters } from './filters/create-filters.ts'
import type { ProvidersServices } from './services/create-services.ts'
import { respondToCall } from './gateway/respond.ts'
import type { ServedOperation } from './gateway/respond.ts'

// Parameters differ between providers, and their SDKs send some in the query (`?api-version=`): only the fields that the gateway reads are checked.
const open = {
  authz: { kind: 'bearer' },
  query: Type.Object({}, { additionalProperties: true }),
  response: { 200: Type.Unknown() },
} as const

const served: readonly ServedOperation[] = [
  {
    path: 'chat/completions',
    summary: 'Create a chat completion.',
    operation: 'chat/completions',
    api: openAiApi,
  },
  { path: 'embeddings', summary: 'Create embeddings.', operation: 'embeddings', api: openAiApi },
  {
    path: 'messages',
    summary:
      'Create a message (Anthropic), sent unchanged to providers with that API and as a chat completion to others.',
    operation: 'chat/completions',
    api: messagesApi,
    readNative: readNativeMessages,
  },
  {
    path: 'messages/count_tokens',
    summary: 'Count the tokens of a message (Anthropic), for providers with that API. It costs nothing.',
    operation: 'chat/completions',
    api: messagesApi,
    readNative: readNativeCount,
    isFree: true,
  },
  {
    path: 'responses',
    summary: 'Create a response that is not stored, as a chat completion.',
    operation: 'chat/completions',
    api: responsesApi,
  },
]

/** The APIs of OpenAI and Anthropic on port 4000; errors have the format of the caller's API (`gateway/error-format.ts`). */
export function gatewayRoutes(services: ProvidersServices, gateway: GatewayContext): readonly AnyEndpoint[] {
  const { bodyLimit } = services.settings
  const filters = createFilters(services.core)
  services.reports.follow(gateway.cluster)
  const operations = served.map((one) =>
    endpoint({
      ...open,
      method: 'POST',
      url: `/v1/${one.path}`,
      summary: one.summary,
      body: Type.Unknown(),
      bodyLimit,
      handle: (call) => respondToCall(services, gateway, { served: one, call, filters }),
    }),
  )
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
  return [...operations, list, get]
}
