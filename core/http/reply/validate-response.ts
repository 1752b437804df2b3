import { channel } from 'node:diagnostics_channel'
import type { FastifyReply } from 'fastify'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
import type { WireError } from '../problem/error-format.ts'
import { JsonPieces } from './raw-list.ts'
import { TextResponse } from './text-response.ts'
import { successStatus } from './send-reply.ts'
import { checkOf } from '#core/validation/validate.ts'

/** A response that agrees with its schema. */
export interface CheckedResponse {
  readonly endpoint: Pick<AnyEndpoint, 'method' | 'url' | 'response'>
  readonly status: number
  readonly value: unknown
}

/** Carries each checked response. A process that subscribes before its roles start checks all of them. */
export const checkedResponses = channel('mesh.http.response')

/** Validates responses against their declared schemas. A difference fails the request, so that tests detect it. */
export function responseChecker(endpoint: AnyEndpoint): (reply: FastifyReply, result: unknown) => void {
  const checks = new Map(Object.entries(endpoint.response).map(([status, schema]) => [Number(status), checkOf(schema)]))
  return (reply, result) => {
    if (endpoint.stream === true || result === undefined || result instanceof TextResponse) return
    const status = reply.statusCode === 200 ? successStatus(endpoint) : reply.statusCode
    const value: unknown = JSON.parse(result instanceof JsonPieces ? String(result) : JSON.stringify(result))
    checkValue({ endpoint, status, value }, checks.get(status))
  }
}

/** Validates an error that an endpoint writes with a success status, as in JSON-RPC: it is one of the declared responses. */
export function checkWrittenError(endpoint: AnyEndpoint, { status, body }: Pick<WireError, 'status' | 'body'>): void {
  if (status >= 300) return
  const schema = endpoint.response[status]
  const value: unknown = JSON.parse(body)
  checkValue({ endpoint, status, value }, schema === undefined ? undefined : checkOf(schema))
}

function checkValue(response: CheckedResponse, check: ReturnType<typeof checkOf> | undefined): void {
  const { endpoint, status, value } = response
  const where = `${endpoint.method} ${endpoint.url}: answer ${status}`
  if (check === undefined) throw new Error(`${where} is not declared`)
  const errors = check(value).map(({ pointer, detail }) => `${pointer} ${detail}`)
  if (errors.length > 0) throw new Error(`${where} differs from its schema: ${errors.join('; ')}`)
  checkedResponses.publish(response)
}
