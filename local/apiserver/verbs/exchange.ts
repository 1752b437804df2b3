import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../auth/user.ts'
import { ApiError, badRequest, notAcceptable, tooLarge, unsupportedMediaType } from '../json/api-error.ts'
import { isObject, typeName } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { MEDIA_TYPES, isObjectType, parseAs } from '../json/parse-body.ts'
import type { RequestInfo } from '../rbac/request-info.ts'
import { warningHeaders } from './warnings.ts'

/** One request and its response. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  readonly info: RequestInfo
  readonly user: User
  readonly accept: Accepted
  /** Messages of `Warning` headers, sent with the answer. */
  readonly warnings: string[]
  /** Additional fields of the request's audit event. */
  readonly audited: { answer?: string | object; dryRun?: boolean }
}

/** Negotiated form of the response. */
export interface Accepted {
  yaml: boolean
  as: '' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList'
  /** The apidiscovery version asked for. */
  version: string
}

const BODY_LIMIT = 3 * 1024 * 1024

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList', 'APIGroupDiscoveryList'])

function isTransform(as: string): as is Exclude<Accepted['as'], ''> {
  return TRANSFORMS.has(as)
}

/** Returns the first supported media type of `Accept`; JSON if the header is absent. */
export function negotiate(header: string | undefined): Accepted {
  const offers = (header || '*/*').split(',').map((part) => part.split(';').map((piece) => piece.trim()))
  for (const [type = '', ...rest] of offers) {
    const yaml = type === 'application/yaml'
    if (!yaml && !['application/json', '*/*', 'application/*'].includes(type)) continue
    const parameters = new Map(rest.map((piece) => [piece.split('=')[0] ?? '', piece.split('=')[1] ?? '']))
    const as = parameters.get('as') ?? ''
    if (as === '') return { yaml, as: '', version: '' }
    if (isTransform(as)) return { yaml, as, version: parameters.get('v') ?? '' }
  }
  throw notAcceptable(MEDIA_TYPES)
}

/** The request's body, at most 3 MiB, as in kube-apiserver. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  // A small body has usually arrived: its iterator would cost more than its parsing.
  if (request.complete && !request.readableEnded) return limited((request.read() as Buffer | null) ?? Buffer.alloc(0))
  const chunks: Buffer[] = []
  let size = 0
  // The connection must survive this loop: a body that is too large gets an answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk
    size += bytes.length
    if (size > BODY_LIMIT) throw tooLarge(BODY_LIMIT)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function limited(body: Buffer): Buffer {
  if (body.length > BODY_LIMIT) throw tooLarge(BODY_LIMIT)
  return body
}

/** The request's body as text. */
export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8')
}

/** The media type of a body, without parameters. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The body as a JSON object; `expected` names the kind in messages. */
export async function readObject(exchange: Exchange, expected: string): Promise<JsonObject> {
  const type = mediaType(exchange.request)
  if (!isObjectType(type)) throw unsupportedMediaType(MEDIA_TYPES)
  const bytes = await readBytes(exchange.request)
  let body: Json
  try {
    body = parseAs(type, bytes)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(`expected ${expected}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isObject(body)) throw badRequest(`expected ${expected}, got ${typeName(body)}`)
  return body
}

/** Sends JSON, or YAML if negotiated; a string is sent as it is. */
export async function send(exchange: Exchange, code: number, json: string | object): Promise<void> {
  const { request, response, accept, warnings, query } = exchange
  const pretty = query.get('pretty')
  let text = typeof json === 'string' ? json : JSON.stringify(json)
  if (accept.yaml) text = (await import('yaml')).stringify(JSON.parse(text))
  else if (
    pretty === 'true' ||
    pretty === '1' ||
    (pretty === null && /^(curl|Wget|Mozilla)\//.test(request.headers['user-agent'] ?? ''))
  ) {
    text = JSON.stringify(JSON.parse(text), null, 2)
  }
  const body = Buffer.from(accept.yaml ? text : `${text}\n`)
  const shown = warningHeaders(warnings)
  if (shown.length > 0) response.setHeader('Warning', shown)
  response.writeHead(code, {
    'Content-Type': accept.yaml ? 'application/yaml' : 'application/json',
    'Cache-Control': 'no-cache, private',
    'Content-Length': body.length,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Narrows a parsed body to an object; callers check `kind` and `apiVersion`. */
export function asKubeObject(body: JsonObject): KubeObject {
  const { kind = '', apiVersion = '', metadata } = body
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
    throw badRequest('kind and apiVersion must be strings')
  }
  return {
    ...body,
    kind,
    apiVersion,
    metadata: isObject(metadata) ? { ...metadata, name: String(metadata['name'] ?? '') } : { name: '' },
  }
}
