import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import type { User } from '../auth/user.ts'
import { ApiError, badRequest, unsupportedMediaType } from '../json/api-error.ts'
import { isObject, typeName } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { MEDIA_TYPES, isObjectType, parseAs } from '../json/parse-body.ts'
import type { RequestInfo } from '../rbac/request-info.ts'
import { warningHeaders } from './warnings.ts'
import type { NegotiatedForm } from './negotiate.ts'
import { readBytes, mediaType } from '../json/read-body.ts'

/** One request and its response. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  readonly info: RequestInfo
  readonly user: User
  readonly accept: NegotiatedForm
  /** Messages of `Warning` headers, sent with the response. */
  readonly warnings: string[]
  /** Additional fields of the request's audit event. */
  readonly audited: { answer?: string | object; dryRun?: boolean }
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
  if (accept.yaml) text = stringify(JSON.parse(text))
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
