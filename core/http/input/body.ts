import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { findUnstorable } from '#schemas/values/storable-text.ts'
import { bodyTooLarge, unsupportedMediaType, YAML_TYPE } from './body-errors.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'

/** Maximum depth of a body (X3). */
export const MAX_DEPTH = 64

/** Maximum size of a YAML body, which costs more to parse than JSON (SEC3). */
export const MAX_YAML_BYTES = 256 * 1024

/** Maximum size of a JSON body of an endpoint that also accepts files. */
const MAX_JSON_BYTES = 1024 * 1024

/** Body of type `application/yaml`, parsed by the endpoint. */
export class YamlBody {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Body of a file type that the endpoint names, not parsed. */
export class FileBody {
  /** Media type with its parameters, as sent. */
  readonly type: string
  readonly bytes: Buffer
  constructor(type: string, bytes: Buffer) {
    this.type = type
    this.bytes = bytes
  }
}

/** Accepts JSON, and YAML for endpoints that support it. Any other media type is a 415. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseLargeJson(request, body.length)
      done(null, parseJson(Buffer.isBuffer(body) ? body : Buffer.from(body)))
    } catch (error) {
      done(error instanceof Error ? error : new Error('unreadable body'))
    }
  })
  app.addContentTypeParser(YAML_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (request.routeOptions.config.endpoint?.handleYaml === undefined) throw unsupportedMediaType(request)
    if (body.length > MAX_YAML_BYTES) throw bodyTooLarge(MAX_YAML_BYTES)
    return new YamlBody(decode(body))
  })
}

/** Accepts the file types of the endpoints of one scope. Another endpoint of the scope responds to them with 415. */
export function acceptFiles(scope: FastifyInstance, types: Iterable<string>): void {
  for (const type of types)
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
      if (request.routeOptions.config.endpoint?.fileTypes?.includes(type) !== true) throw unsupportedMediaType(request)
      return new FileBody(request.headers['content-type'] ?? type, body)
    })
}

// The limit of a route with files is that of a file: JSON of that size would block the event loop.
function refuseLargeJson({ routeOptions }: FastifyRequest, bytes: number): void {
  if (routeOptions.config.endpoint?.fileTypes === undefined || bytes <= MAX_JSON_BYTES) return
  throw bodyTooLarge(MAX_JSON_BYTES)
}

// Shared: each call of `decode` is complete in itself.
const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw malformed('is not valid UTF-8')
  }
}

/**
 * Parses JSON of limited depth, without `__proto__` (X3) and without text that the store cannot hold (F5). Errors never quote the body
 * (M7). An empty body is `undefined`.
 */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (isDeeperThan(body, MAX_DEPTH)) throw malformed(`is nested deeper than ${MAX_DEPTH} levels`)
  const value = parse(body)
  if (mayHaveProtoKey(body) && hasProtoKey(value)) throw malformed('has a key __proto__')
  refuseUnstorable(body, value)
  if (typeof value === 'object' && value !== null) documents.set(value, body)
  return value
}

const documents = new WeakMap<object, Buffer>()

/** The JSON document that was parsed to a body, for code that forwards it; undefined for any other value. */
export function documentOf(value: unknown): string | undefined {
  const document = typeof value === 'object' && value !== null ? documents.get(value) : undefined
  return document === undefined ? undefined : utf8.decode(document)
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch (error) {
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    throw malformed(position === undefined ? 'is not valid JSON' : `is not valid JSON at position ${position}`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

// Checked before parsing: a body of brackets costs nothing to send, and every walk over its value recurses.
function isDeeperThan(body: Buffer, limit: number): boolean {
  let depth = 0
  for (let index = 0; index < body.length; index++) {
    const byte = body[index]
    if (byte === QUOTE) index = endOfString(body, index + 1)
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > limit) return true
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return false
}

function endOfString(body: Buffer, from: number): number {
  for (let index = from; index < body.length; index++) {
    if (body[index] === BACKSLASH) index++
    else if (body[index] === QUOTE) return index
  }
  return body.length
}

// U+0000 and lone surrogates can only arrive as escapes: the bytes are valid UTF-8, and JSON has no raw control characters.
function refuseUnstorable(body: Buffer, value: unknown): void {
  const pointer = body.includes('\\u') ? findUnstorable(value) : undefined
  if (pointer === undefined) return
  throw new Fail('invalid_body', undefined, {
    errors: [{ pointer: pointer.slice(0, 256), detail: 'must not contain U+0000 or a lone surrogate' }],
  })
}

// The walk costs as much as the parser, and the key can only appear literally or with escapes.
function mayHaveProtoKey(body: Buffer): boolean {
  return body.includes('__proto__') || body.includes('\\u')
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasProtoKey)
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey)
}

function malformed(detail: string): Fail {
  return new Fail('malformed_request', `The body ${detail}.`, { errors: [{ pointer: '', detail }] })
}

/** Creates a validator of bodies. Without a schema, only an absent or empty body is accepted. Throws `invalid_body`. */
export function bodyReader(schema: TSchema | undefined): (body: unknown) => unknown {
  if (schema === undefined) return refuseBody
  const check = checkOf(schema)
  return (body) => {
    const errors = body === undefined ? [{ pointer: '', detail: 'a JSON body is required' }] : check(body)
    if (errors.length > 0) throw new Fail('invalid_body', undefined, { errors })
    return body
  }
}

function refuseBody(body: unknown): undefined {
  const empty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)
  if (!empty) throw new Fail('invalid_body', undefined, { errors: [{ pointer: '', detail: 'takes no body' }] })
}
