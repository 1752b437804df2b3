import type { IncomingMessage } from 'node:http'
import { isObject } from '#core/json/is-object.ts'
import { JsonRefused, parseBoundedJson } from './bounded-json.ts'
import { Refusal } from './refusal.ts'

/** Reads a JSON body of at most `limit` bytes; undefined if absent. Bounds of `parseBoundedJson` apply. Throws `Refusal`. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new Refusal('payload_too_large')
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  return parseBody(Buffer.concat(chunks).toString('utf8'))
}

function parseBody(text: string): unknown {
  try {
    return parseBoundedJson(text)
  } catch (error) {
    throw error instanceof JsonRefused ? new Refusal('malformed_request', `the body ${error.message}`) : error
  }
}

/** Narrows a value to an object; throws `Refusal` with its name. */
export function asRecord(value: unknown, what = 'the body'): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw new Refusal('malformed_request', `${what} must be a JSON object`)
}

/** Throws `Refusal` with the name of the first unknown field. */
export function refuseUnknown(from: object, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(from).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Refusal('malformed_request', `${prefix}${unknown}: unknown field`)
}
