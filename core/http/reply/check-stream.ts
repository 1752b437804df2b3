import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
import { checkOf } from '#core/validation/validate.ts'
import { checkedResponses } from './validate-response.ts'
import type { CheckedResponse } from './validate-response.ts'

/** Reads the frames of an event stream. */
export type FrameReader = (frame: Buffer | string) => void

/**
 * Creates a reader that publishes each event of an endpoint's stream which agrees with the declared schema. Others are of another
 * protocol that the client negotiated, such as AG-UI. Undefined without a schema.
 */
export function frameReader({ method, url, docs }: AnyEndpoint): FrameReader | undefined {
  const events = docs?.events
  if (events === undefined) return undefined
  const check = checkOf(events)
  return (frame) => {
    const value = parsed(dataOf(String(frame)))
    if (value === undefined || check(value).length > 0) return
    const endpoint = { method, url, response: { 200: events } }
    checkedResponses.publish({ endpoint, status: 200, value } satisfies CheckedResponse)
  }
}

/** Validates a streamed JSON document at its end. A difference cuts the response, so that tests detect it. Text passes. */
export function checkedStream(endpoint: AnyEndpoint, result: unknown): unknown {
  const [schema] = Object.values(endpoint.response)
  if (!(result instanceof Readable) || schema === undefined || 'contentMediaType' in schema) return result
  return Readable.from(checkedChunks(endpoint, schema, result), { objectMode: false })
}

async function* checkedChunks(endpoint: AnyEndpoint, schema: TSchema, source: Readable): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    yield bytes
  }
  const value: unknown = JSON.parse(String(Buffer.concat(chunks)))
  const errors = checkOf(schema)(value).map(({ pointer, detail }) => `${pointer} ${detail}`)
  if (errors.length > 0) throw new Error(`${endpoint.method} ${endpoint.url} differs: ${errors.join('; ')}`)
  checkedResponses.publish({ endpoint, status: 200, value } satisfies CheckedResponse)
}

function dataOf(frame: string): string {
  const lines = frame.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => line.slice(6)).join('\n')
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
