import { isObject } from '../json/is-object.ts'

type Json = Readonly<Record<string, unknown>>

/** An API in which a request is sent. */
export type RequestApi = 'chat/completions' | 'embeddings' | 'responses' | 'messages'

/** Why a field is not sent. */
export interface RefusedField {
  /** Path of the field: `tools[0]`. */
  readonly field: string
  readonly detail: string
}

/**
 * Date of the lists below. They were compared with the SDKs of OpenAI (6.49.0) and Anthropic (1.12.0), and with the routers that accept
 * requests in their form (OpenRouter, LiteLLM, Azure).
 */
export const FIELDS_VERSION = '2026-11-24'

type Rule = { readonly detail: string; readonly innocent?: (value: unknown) => boolean }

const oneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value)

const leaves: Rule = { detail: 'is not supported: it bypasses the route of the call' }
const paid: Rule = { detail: 'is not supported: it has a price of its own' }

// Fields of routers. They name models, providers or addresses other than those of the route.
const ofRouters: Readonly<Record<string, Rule>> = {
  models: leaves,
  route: leaves,
  provider: leaves,
  preset: leaves,
  fallbacks: leaves,
  context_window_fallbacks: leaves,
  content_policy_fallbacks: leaves,
  model_list: leaves,
  custom_llm_provider: leaves,
  api_base: leaves,
  base_url: leaves,
  api_key: leaves,
  data_sources: leaves,
  plugins: paid,
}

const ofOpenAi: Readonly<Record<string, Rule>> = {
  ...ofRouters,
  service_tier: { detail: 'must be auto, default or flex', innocent: oneOf('auto', 'default', 'flex') },
  web_search_options: paid,
  modalities: { detail: 'must be ["text"]', innocent: (value) => JSON.stringify(value) === '["text"]' },
  audio: paid,
  best_of: { detail: 'must be 1', innocent: oneOf(1) },
}

/** Fields that cost money beyond tokens, or leave the route. An innocent value, such as the API's default, is allowed. */
const refused: Readonly<Record<RequestApi, Readonly<Record<string, Rule>>>> = {
  'chat/completions': ofOpenAi,
  embeddings: ofOpenAi,
  responses: ofOpenAi,
  messages: {
    ...ofRouters,
    service_tier: { detail: 'must be auto or standard_only', innocent: oneOf('auto', 'standard_only') },
    speed: { detail: 'must be standard', innocent: oneOf('standard') },
    inference_geo: { detail: 'must be global', innocent: oneOf('global') },
    billing_policy: leaves,
    workspace_id: leaves,
    container: leaves,
    mcp_servers: leaves,
  },
}

const ofChat = [
  'model messages stream stream_options n stop seed user metadata store temperature top_p top_k min_p repetition_penalty',
  'frequency_penalty presence_penalty logit_bias logprobs top_logprobs max_tokens max_completion_tokens response_format',
  'tools tool_choice parallel_tool_calls functions function_call prediction reasoning_effort verbosity',
  'prompt_cache_key prompt_cache_options prompt_cache_retention safety_identifier',
]
const ofMessages = [
  'model messages system max_tokens stream stop_sequences temperature top_p top_k metadata thinking tools tool_choice',
  'cache_control context_management output_config output_format diagnostics',
]

/** Fields that the APIs document and that cost no more than their tokens. Those of `refused` are known as well. */
const known: Readonly<Record<RequestApi, ReadonlySet<string>>> = {
  'chat/completions': toNames(ofChat),
  embeddings: toNames(['model input dimensions encoding_format user']),
  // A field that the translation does not read is not sent.
  responses: new Set(),
  messages: toNames(ofMessages),
}

/** The first field of a request that costs money beyond tokens, or leaves the route, including a tool that the provider runs. */
export function findRefusedField(api: RequestApi, body: Json): RefusedField | undefined {
  const rules = refused[api]
  for (const [field, value] of Object.entries(body)) {
    if (value === null || value === undefined || !Object.hasOwn(rules, field)) continue
    const rule = rules[field]
    if (rule !== undefined && rule.innocent?.(value) !== true) return { field, detail: rule.detail }
  }
  return api === 'chat/completions' ? findProviderTool(body.tools) : undefined
}

/** The first field of a request that is neither documented nor allowed. */
export function findUnknownField(api: RequestApi, body: Json, allowed: readonly string[]): string | undefined {
  return Object.keys(body).find(
    (field) => !known[api].has(field) && !Object.hasOwn(refused[api], field) && !allowed.includes(field),
  )
}

// Requests of the other APIs are refused with such a tool in any case.
function findProviderTool(tools: unknown): RefusedField | undefined {
  if (!Array.isArray(tools)) return undefined
  const index = tools.findIndex((tool: unknown) => !isClientTool(tool))
  return index === -1
    ? undefined
    : { field: `tools[${index}]`, detail: 'must be a function or custom tool: tools of the provider have a price' }
}

function isClientTool(tool: unknown): boolean {
  if (!isObject(tool)) return false
  const { type } = tool
  return type === 'function' || type === 'custom' || (type === undefined && isObject(tool.function))
}

function toNames(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '))
}
