import type { IncomingMessage } from 'node:http'
import { JsonRefused, parseBoundedJson } from './bounded-json.ts'
import type { Body } from './port.ts'
import { Refusal } from './refusal.ts'

/** Reads the body of a request in the form of its route. Throws `Refusal` above `limit` bytes, and for JSON that does not fit. */
export async function readBody(request: IncomingMessage, body: Body | undefined, limit: number): Promise<unknown> {
  if (body === undefined) return undefined
  const chunks = boundedChunks(request, limit)
  if (body === 'stream') return chunks
  const pieces: Buffer[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  const bytes = Buffer.concat(pieces)
  return body === 'bytes' ? bytes : body.parse(parseJson(bytes), '')
}

/** Chunks of a body; throws `Refusal` above `limit` bytes. */
async function* boundedChunks(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  let size = 0
  // Not destroyed when the limit ends the loop: its socket would be closed before the refusal is sent.
  const source: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) }
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) throw new Refusal('payload_too_large')
    yield chunk
  }
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  try {
    return parseBoundedJson(bytes.toString('utf8'))
  } catch (error) {
    throw error instanceof JsonRefused ? new Refusal('malformed_request', `the body ${error.message}`) : error
  }
}
