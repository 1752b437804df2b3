import { isObject } from '#core/json/is-object.ts'
import { writeLike } from '#core/json/write-like.ts'
import { estimateInputTokens } from '#core/model-apis/estimate-input.ts'
import { JsonRefused, parseBoundedJson } from '../http/bounded-json.ts'
import { Refusal } from '../http/refusal.ts'

/** A JSON object in the form of OpenAI's or Anthropic's API. */
export type ModelBody = Readonly<Record<string, unknown>>

/** Operations that the gateway serves. */
export type ModelOperation = 'chat/completions' | 'messages' | 'messages/count_tokens' | 'embeddings'

/** Whether an operation has the form of Anthropic's API. */
export function isOfMessages(operation: ModelOperation): boolean {
  return operation === 'messages' || operation === 'messages/count_tokens'
}

/** A model call of the agent, parsed. */
export interface ModelRequest {
  readonly operation: ModelOperation
  /** The route as `namespace/name`. */
  readonly route: string
  readonly body: ModelBody
  readonly stream: boolean
  /** Whether the caller requested the usage of a stream. */
  readonly usageWanted: boolean
  /** Upper estimate of the tokens of the input. */
  readonly inputTokens: number
  /** Limit of the tokens of each choice as requested; null: none. */
  readonly maxOutputTokens: number | null
  readonly choices: number
  /** The request to the gateway. */
  readonly bytes: Buffer
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
export function toModelRequest(
  operation: ModelOperation,
  given: { readonly body: ModelBody; readonly bytes: Buffer },
  namespace: string,
): ModelRequest {
  const { body } = given
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
    stream: isText && operation !== 'messages/count_tokens' && stream === true,
    usageWanted: options.include_usage === true,
    inputTokens: estimateInputTokens(given.bytes, body),
    maxOutputTokens: isText ? maxOutputOf(body) : null,
    choices: isChat ? choicesOf(body) : 1,
    bytes: isChat && stream === true ? withUsage(given) : given.bytes,
  }
}

/** The same call with a changed body, whose other bytes stay. */
export function withBody(request: ModelRequest, body: ModelBody): ModelRequest {
  const bytes = writtenLike(request.bytes, body)
  const asksUsage = request.stream && !isOfMessages(request.operation)
  return { ...request, body, bytes: asksUsage ? withUsage({ body, bytes }) : bytes }
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

// A stream without usage could not be settled. The option is removed again from what the caller receives.
function withUsage({ body, bytes }: { readonly body: ModelBody; readonly bytes: Buffer }): Buffer {
  const { stream_options: options } = body
  if (isObject(options) && options.include_usage === true) return bytes
  if (options === undefined) return addField(bytes, '"stream_options":{"include_usage":true}')
  const asked = { ...(isObject(options) ? options : {}), include_usage: true }
  return writtenLike(bytes, { ...body, stream_options: asked })
}

function writtenLike(bytes: Buffer, body: ModelBody): Buffer {
  return Buffer.from(writeLike(bytes.toString('utf8'), body))
}

/** The call with an answer that its hold pays for. */
export function coveredBy(request: ModelRequest, maxOutputTokens: number | null): ModelRequest {
  const { operation, body, bytes } = request
  if (maxOutputTokens === null || request.maxOutputTokens !== null || operation === 'embeddings') return request
  // A field that is present has no limit: null.
  const { max_tokens: _, max_completion_tokens: __, ...rest } = body
  const bare = 'max_tokens' in body || 'max_completion_tokens' in body ? withBody(request, rest).bytes : bytes
  return { ...request, maxOutputTokens, bytes: addField(bare, `"max_tokens":${maxOutputTokens}`) }
}

// Behind the opening brace: the rest of the body is sent as the caller wrote it.
function addField(bytes: Buffer, field: string): Buffer {
  return Buffer.concat([Buffer.from(`{${field},`), bytes.subarray(bytes.indexOf(0x7b) + 1)])
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
