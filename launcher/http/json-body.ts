import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

const maxDepth = 64

/** Reads a JSON body of at most `limit` bytes and `maxDepth` levels (X3); an absent body is undefined. Throws `Refusal`. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw new Refusal('payload_too_large')
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  return parseJson(Buffer.concat(chunks).toString('utf8'))
}

function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal('malformed_request', 'the body is not JSON')
  }
  if (isDeeper(value, maxDepth)) throw new Refusal('malformed_request', `the body nests deeper than ${maxDepth} levels`)
  return value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.entries(value).some(([key, item]) => key === '__proto__' || isDeeper(item, levels - 1))
}

/** A value as an object of unknown fields; throws `Refusal` naming what it is for. */
export function asRecord(value: unknown, what = 'the body'): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new Refusal('malformed_request', `${what} must be a JSON object`)
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Throws `Refusal` naming the first field that is not in the list. */
export function refuseUnknown(from: object, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(from).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Refusal('malformed_request', `${prefix}${unknown}: unknown field`)
}
