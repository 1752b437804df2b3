import { anthropicErrors, openAiErrors } from '#core/model-apis/error-forms.ts'
import type { ErrorForm } from '#core/model-apis/error-forms.ts'
import { definePort } from '#launcher/contract/http/port.ts'
import { toCallError } from './call-error.ts'

const calls = [
  'unknown_run',
  'draining',
  'budget_exceeded',
  'not_found',
  'price_unknown',
  'rate_limited',
  'concurrency_limited',
  'too_many_calls',
  'guardrail_blocked',
  'guardrail_approval_required',
  'guardrail_unavailable',
  'plugin_disabled',
  'budget_unavailable',
  'gateway_unavailable',
  'gateway_timeout',
] as const
const counts = [
  'unknown_run',
  'draining',
  'not_found',
  'too_many_calls',
  'guardrail_blocked',
  'guardrail_approval_required',
  'guardrail_unavailable',
  'plugin_disabled',
  'gateway_unavailable',
  'gateway_timeout',
] as const
const models = {
  responses: {},
  stream: 'application/json',
  refusals: ['unknown_run', 'gateway_unavailable', 'gateway_timeout'],
} as const

function errorsOf(target: string): ErrorForm {
  return target.startsWith('/v1/messages') ? anthropicErrors : openAiErrors
}

/** Port 2996: model calls within the agent's budget. Requests and responses are those of the gateway. */
export const modelProxyPort = definePort({
  name: 'budget',
  bodyLimit: 32 * 1024 * 1024,
  refusalBody: (refusal, target) => errorsOf(target).body(toCallError(refusal)),
  routes: {
    chat: {
      method: 'POST',
      path: '/v1/chat/completions',
      summary: 'Creates a chat completion (OpenAI), streamed with `stream`.',
      body: 'bytes',
      responses: {},
      stream: 'text/event-stream',
      refusals: calls,
    },
    embeddings: {
      method: 'POST',
      path: '/v1/embeddings',
      summary: 'Creates embeddings (OpenAI).',
      body: 'bytes',
      responses: {},
      stream: 'application/json',
      refusals: calls,
    },
    messages: {
      method: 'POST',
      path: '/v1/messages',
      summary:
        'Creates a message (Anthropic), streamed with `stream`. The gateway translates it for providers without that API.',
      body: 'bytes',
      responses: {},
      stream: 'text/event-stream',
      refusals: calls,
    },
    countTokens: {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      summary:
        'Counts the tokens of a message (Anthropic), within the guardrails and without cost. 404 if the provider has no such request.',
      body: 'bytes',
      responses: {},
      stream: 'application/json',
      refusals: counts,
    },
    responses: {
      method: 'POST',
      path: '/v1/responses',
      summary:
        'Creates a response (OpenAI) that is not stored, streamed with `stream`. It is translated to a chat completion.',
      body: 'bytes',
      responses: {},
      stream: 'text/event-stream',
      refusals: calls,
    },
    models: { ...models, method: 'GET', path: '/v1/models', summary: 'Lists the models that the agent may use.' },
    model: { ...models, method: 'GET', path: '/v1/models/:name', summary: 'Returns a model of the agent’s namespace.' },
    modelOf: {
      ...models,
      method: 'GET',
      path: '/v1/models/:namespace/:name',
      summary: 'Returns a model of another namespace.',
    },
  },
})
