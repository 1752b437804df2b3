import { isObject } from '#core/json/is-object.ts'
import { writeLike } from '#core/json/write-like.ts'
import { isOfMessages } from './model-request.ts'
import type { ModelBody, ModelRequest } from './model-request.ts'

/** The request after the rules were applied. It is always serialized from the parsed body: of a name sent twice, the rules saw one value. */
export function judgedRequest(request: ModelRequest, body: ModelBody): ModelRequest {
  return { ...request, body: { ...body } }
}

/**
 * Returns the bytes for the gateway: the caller's, except for changes by rules, the usage option of a stream and the token limit that the hold pays
 * for. They are written once, when a call is forwarded.
 */
export function writeRequest(request: ModelRequest, heldTokens: number | null): Buffer {
  const { source } = request
  const added = { ...usageField(request), ...limitField(request, heldTokens) }
  const names = Object.keys(added)
  // A limit that is null may have this name, too.
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

// Behind the opening brace: the rest of the body is sent as the caller wrote it. The object is never empty: it has a model.
function addFields(bytes: Buffer, added: ModelBody): Buffer {
  const text = JSON.stringify(added).slice(1, -1)
  if (text === '') return bytes
  return Buffer.concat([Buffer.from(`{${text},`), bytes.subarray(bytes.indexOf(0x7b) + 1)])
}
