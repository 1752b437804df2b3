import { isObject } from '#core/json/is-object.ts'
import { writeLike } from '#core/json/write-like.ts'
import { isOfMessages } from './model-request.ts'
import type { ModelBody, ModelRequest } from './model-request.ts'

/** The request as rules leave it. It is written in any case: of a name that the caller sent twice, they saw one value. */
export function judgedRequest(request: ModelRequest, body: ModelBody): ModelRequest {
  return { ...request, body: { ...body } }
}

/**
 * Returns the bytes for the gateway: those of the caller, but for what rules changed, the usage that a stream must report and the
 * limit of tokens that the hold pays for. They are written once, when a call is forwarded.
 */
export function writeRequest(request: ModelRequest, heldTokens: number | null): Buffer {
  const { source } = request
  const added = { ...usageField(request), ...limitField(request, heldTokens) }
  const names = Object.keys(added)
  // The limit that is null has this name, too.
  if ('max_tokens' in added) names.push('max_completion_tokens')
  const body = without(request.body, names)
  const bytes = body === source.body ? source.bytes : Buffer.from(writeLike(source.bytes.toString('utf8'), body))
  return addFields(bytes, added)
}

// A stream without usage could not be settled. The option is removed again from what the caller receives.
function usageField({ operation, stream, usageWanted, body }: ModelRequest): ModelBody {
  if (!stream || usageWanted || isOfMessages(operation)) return {}
  const options = isObject(body.stream_options) ? body.stream_options : {}
  return { stream_options: { ...options, include_usage: true } }
}

function limitField({ operation, maxOutputTokens }: ModelRequest, heldTokens: number | null): ModelBody {
  if (heldTokens === null || maxOutputTokens !== null || operation === 'embeddings') return {}
  return { max_tokens: heldTokens }
}

// The same object if it has none of them.
function without(body: ModelBody, names: readonly string[]): ModelBody {
  if (!names.some((name) => name in body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

// Behind the opening brace: the rest of the body is sent as the caller wrote it. It is never empty, since it names its model.
function addFields(bytes: Buffer, added: ModelBody): Buffer {
  const text = JSON.stringify(added).slice(1, -1)
  if (text === '') return bytes
  return Buffer.concat([Buffer.from(`{${text},`), bytes.subarray(bytes.indexOf(0x7b) + 1)])
}
