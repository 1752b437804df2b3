import type { Mutant } from './mutant.ts'

const keys = ['plugins/providers/gateway/route/provider-key.test.ts']
const apis = ['plugins/providers/gateway/translated-apis.test.ts']
const apiErrors = ['plugins/providers/gateway/translated-errors.test.ts']
const anthropic = ['plugins/providers/anthropic/anthropic-adapter.test.ts']
const translation = ['core/model-apis/translation.test.ts']
const sdk = ['plugins/providers/gateway/openai-sdk.test.ts']

/** Defects of the gateway: formats of its callers, the anthropic adapter, and lists of models. */
export const mutants: readonly Mutant[] = [
  {
    name: 'anthropic: a stream that ends early is complete',
    file: 'plugins/providers/anthropic/anthropic-adapter.ts',
    find: "if (!chunks.ended()) throw new Error('the stream has no message_stop')",
    replace: 'chunks.ended()',
    tests: anthropic,
    only: 'serves chat completions and messages',
  },
  {
    name: 'anthropic: tokens of the cache are free',
    file: 'core/model-apis/usage/message-usage.ts',
    find: 'countOf(given.input_tokens) + written + cachedTokens',
    replace: 'countOf(given.input_tokens) + written',
    tests: anthropic,
    only: 'serves chat completions and messages',
  },
  {
    name: 'anthropic: choices that the provider does not make are dropped',
    file: 'plugins/providers/model-apis/chat-to-messages.ts',
    find: 'if ((n ?? 1) !== 1) throw',
    replace: "if (n === 'x') throw",
    tests: anthropic,
    only: 'serves chat completions and messages',
  },
  {
    name: 'apis: an answer is translated before its filters',
    file: 'plugins/providers/gateway/respond.ts',
    find: 'withFilters(filters, rules, (filtered, applying) =>',
    replace: 'withFilters(call.api.translation === undefined ? filters : undefined, rules, (filtered, applying) =>',
    tests: apis,
    only: 'translated to chat completions',
  },
  {
    name: 'apis: an error in a stream is the end of the answer',
    file: 'plugins/providers/gateway/response/translate-response.ts',
    find: 'finish(errors.frame(callErrorOf(failureIn(chunk.error))))',
    replace: 'finish(events?.end())',
    tests: apiErrors,
    only: 'the form of the caller',
  },
  {
    name: 'apis: a head is written before the answer can be translated',
    file: 'plugins/providers/gateway/response/client-response.ts',
    find: 'if (translator === undefined || streamed) open()',
    replace: 'open()',
    tests: apiErrors,
    only: 'the form of the caller',
  },
  {
    name: 'apis: errors of the listener have the form of OpenAI only',
    file: 'plugins/providers/gateway/request/caller-api.ts',
    find: '? anthropicErrors : openAiErrors',
    replace: '? openAiErrors : openAiErrors',
    tests: apiErrors,
    only: 'the form of the caller',
  },
  {
    name: 'apis: calls of one message are copied for each further one',
    file: 'core/model-apis/responses-request.ts',
    find: 'last.tool_calls.push(call)',
    replace: 'last.tool_calls = [...(last.tool_calls as unknown[]), call]',
    tests: translation,
    only: 'grows with the size',
  },
  {
    name: 'gateway: models are listed that the caller may not use',
    file: 'plugins/providers/gateway/route/usable-models.ts',
    find: "if (await inNamespace('create', use, namespace)) kept.push(...group)",
    replace: "if (use !== '') kept.push(...group)",
    tests: sdk,
    only: 'the models of every namespace',
  },
  {
    name: 'gateway: SDKs repeat a call whose run has failed',
    file: 'plugins/providers/gateway/call-agent.ts',
    find: '.status !== 429',
    replace: '.status === 429',
    tests: sdk,
    only: 'a failed run',
  },
  {
    name: 'gateway: errors of the server itself are problem+json',
    file: 'core/host/role/role-server.ts',
    find: 'errorFormat: core.extensions(errorFormat).find((format) => format.role === role)',
    replace: 'errorFormat: core.extensions(errorFormat).find((format) => format.role === role && role === "bff")',
    tests: sdk,
    only: 'SDKs show every error',
  },
  {
    name: 'gateway: routes of one namespace take every name of the metrics',
    file: 'plugins/providers/contract/metrics.ts',
    find: ' || taken >= bounds.pairsPerNamespace',
    replace: '',
    tests: keys,
    only: 'UXM12: the number of routes',
  },
  {
    name: 'gateway: x-api-key precedes another bearer',
    file: 'core/http/input/bearer-token.ts',
    find: 'if (!isAlone && readBearer(rawHeaders, url) !== key) throw',
    replace: "if (!isAlone && key === '') throw",
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
]
