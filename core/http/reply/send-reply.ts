import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { AnyCall, AnyEndpoint } from '../endpoint/endpoint.ts'
import { isObject } from '#core/json/is-object.ts'
import { withoutManagedFields } from './managed-fields.ts'
import { JsonPieces } from './raw-list.ts'
import { serverReplyOf } from '../endpoint/reply.ts'
import { TextResponse } from './text-response.ts'
import { headersOf } from '../stream/raw-headers.ts'
import { toJsonBody } from './json-line.ts'

/**
 * Sends the result of a handler: undefined as an empty response, chunks as JSON, streams as they are. The status is the handler's, else the
 * first success that the endpoint declares.
 */
export function sendResult(endpoint: AnyEndpoint, call: AnyCall, result: unknown): FastifyReply {
  const reply = serverReplyOf(call)
  if (reply.statusCode === 200) reply.code(successStatus(endpoint))
  if (result === undefined) return reply.send()
  if (isStream(result)) return sendStream(call, result)
  if (result instanceof TextResponse) return reply.type(result.contentType).send(result.text)
  if (result instanceof JsonPieces) return sendPieces(call, result)
  const wantsAll = isObject(call.query) && call.query['managedFields'] === true
  return withJsonType(reply).send(toJsonBody(wantsAll ? result : withoutManagedFields(result)))
}

/** Returns the first declared 2xx status. */
export function successStatus(endpoint: AnyEndpoint): number {
  return (
    Object.keys(endpoint.response)
      .map(Number)
      .find((status) => status >= 200 && status < 300) ?? 200
  )
}

function withJsonType(reply: FastifyReply): FastifyReply {
  return reply.hasHeader('content-type') ? reply : reply.type('application/json; charset=utf-8')
}

function isStream(result: unknown): result is AsyncIterable<Buffer | string> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

// Fastify sends one buffer or a stream; chunks are written to the socket directly, in one write.
function sendPieces(call: AnyCall, json: JsonPieces): FastifyReply {
  const { request, streams } = call
  const reply = serverReplyOf(call)
  const { raw } = withJsonType(reply)
  reply.hijack()
  raw.writeHead(reply.statusCode, {
    ...headersOf(reply),
    'content-length': json.byteLength,
    // Set here as the hook does for other responses while draining.
    ...(streams.draining ? { connection: 'close' } : {}),
  })
  if (request.method !== 'HEAD') for (const piece of json.pieces) raw.write(piece)
  raw.end()
  return reply
}

// HEAD of a stream returns headers only, since a followed log never ends.
function sendStream(call: AnyCall, source: AsyncIterable<Buffer | string>): FastifyReply {
  const stream = source instanceof Readable ? source : Readable.from(source, { objectMode: false })
  if (call.request.method === 'HEAD') {
    stream.destroy()
    return serverReplyOf(call).send()
  }
  call.signal.addEventListener('abort', () => stream.destroy(), { once: true })
  return serverReplyOf(call).send(stream)
}
