import type { IncomingMessage } from 'node:http'
import { MalformedValue } from '#schemas/wire/malformed-value.ts'
import type { Schema } from '#schemas/wire/schema.ts'
import { JsonRefused, parseBoundedJson } from '../contract/http/bounded-json.ts'
import type { Body } from '../contract/http/port.ts'
import { Refusal } from '../contract/http/refusal.ts'

/** Reads the body of a request in the form of its route. Throws `Refusal` above `limit` bytes, and for JSON that does not fit. */
export async function readBody(request: IncomingMessage, body: Body | undefined, limit: number): Promise<unknown> {
  if (body === undefined) return undefined
  if (body === 'stream') return boundedChunks(request, limit)
  const bytes = await collectBody(request, limit)
  return body === 'bytes' ? bytes : parseValue(body, parseJson(bytes))
}

// By events: asynchronous iteration costs more than the rest of a small request.
function collectBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const pieces: Buffer[] = []
  let size = 0
  const settle = (error: Error | undefined): void => {
    request.off('data', onData).off('end', onEnd).off('close', onClose)
    if (error === undefined) resolve(pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces))
    else reject(error)
  }
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    pieces.push(chunk)
    if (size <= limit) return
    // Not destroyed: its socket would be closed before the refusal is sent.
    request.pause()
    settle(new Refusal('payload_too_large'))
  }
  const onEnd = (): void => settle(undefined)
  const onError = (error: Error): void => settle(error)
  const onClose = (): void => settle(new Error('the client closed its connection'))
  if (request.destroyed) onClose()
  else request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  return promise
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

function parseValue(schema: Schema<unknown>, value: unknown): unknown {
  try {
    return schema.parse(value, '')
  } catch (error) {
    throw error instanceof MalformedValue ? new Refusal('malformed_request', error.message) : error
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
