import { isObject } from '#core/json/is-object.ts'
import { estimateInputTokens } from '#core/model-apis/estimate-input.ts'
import { JsonRefused, parseBoundedJson } from '../http/bounded-json.ts'
import { Refusal } from '../http/refusal.ts'

/** A JSON object in the form of OpenAI's or Anthropic's API. */
export type ModelBody = Readonly<Record<string, unknown>>

/** Operations that the gateway serves. */
export type ModelOperation = 'chat/completions' | 'messages' | 'messages/count_tokens' | 'embeddings'

/** Whether an operation belongs to Anthropic's API. */
export function isOfMessages(operation: ModelOperation): boolean {
  return operation === 'messages' || operation === 'messages/count_tokens'
}

/** A body as the caller sent it. */
export interface CallerBody {
  readonly bytes: Buffer
  readonly body: ModelBody
}

/** A model call of the agent, parsed. */
export interface ModelRequest {
  readonly operation: ModelOperation
  /** The route as `namespace/name`. */
  readonly route: string
  /** The body after the rules were applied. */
  readonly body: ModelBody
  readonly source: CallerBody
  readonly stream: boolean
  /** Whether the caller requested the usage of a stream. */
  readonly usageWanted: boolean
  /** Upper estimate of the tokens of the input. */
  readonly inputTokens: number
  /** Limit of the tokens of each choice as requested; null: none. */
  readonly maxOutputTokens: number | null
  readonly choices: number
}

/** Parses JSON of a caller. Throws `Refusal`. */
export function parseModelBody(bytes: Buffer): ModelBody {
  let value: unknown
  try {
    value = parseBoundedJson(bytes.toString('utf8'))
  } catch (error) {
    throw error instanceof JsonRefused ? invalid(`the body ${error.message}`) : error
  }
  if (!isObject(value)) throw invalid('the body must be a JSON object')
  return value
}

/** Validates the fields that this port reads; the gateway and the provider validate all others. Throws `Refusal`. */
export function toModelRequest(operation: ModelOperation, source: CallerBody, namespace: string): ModelRequest {
  const { body } = source
  const route = toRoute(body.model, namespace)
  const isChat = operation === 'chat/completions'
  const isText = operation !== 'embeddings'
  if (isText && !(Array.isArray(body.messages) && body.messages.length > 0 && body.messages.every(isObject)))
    throw invalid('messages: must be a list of at least one message')
  if (!isText && body.input === undefined) throw invalid('input: is missing')
  if (operation === 'messages' && typeof body.max_tokens !== 'number') throw invalid('max_tokens: must be a number')
  const { stream = null } = body
  if (stream !== null && typeof stream !== 'boolean') throw invalid('stream: must be true or false')
  const options = isObject(body.stream_options) ? body.stream_options : {}
  return {
    operation,
    route,
    body,
    source,
    stream: isText && operation !== 'messages/count_tokens' && stream === true,
    usageWanted: options.include_usage === true,
    inputTokens: estimateInputTokens(source.bytes, body),
    maxOutputTokens: isText ? maxOutputOf(body) : null,
    choices: isChat ? choicesOf(body) : 1,
  }
}

function toRoute(model: unknown, namespace: string): string {
  if (typeof model !== 'string' || model === '') throw invalid('model: is missing')
  const parts = model.split('/')
  if (parts.length > 1 && parts[0] === 'agent')
    throw invalid('model: must be a route; other agents are called by POST /delegate')
  if (parts.length > 2 || !parts.every((part) => /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(part)))
    throw invalid('model: must be a route (name or namespace/name)')
  return parts.length === 1 ? `${namespace}/${model}` : model
}

function maxOutputOf(body: ModelBody): number | null {
  const limits = [body.max_completion_tokens, body.max_tokens].filter((limit) => limit !== undefined && limit !== null)
  if (limits.length === 0) return null
  const most = Math.max(...limits.map(Number))
  if (!limits.every((limit) => typeof limit === 'number') || !isWithin(most, 10_000_000))
    throw invalid('max_tokens: must be a whole number from 1 to 10000000')
  return most
}

function choicesOf({ n = null }: ModelBody): number {
  if (n !== null && !isWithin(n, 128)) throw invalid('n: must be a whole number from 1 to 128')
  return n ?? 1
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most
}

/** A refusal of the request's body. */
export function invalid(detail: string): Refusal {
  return new Refusal('malformed_request', detail)
}
