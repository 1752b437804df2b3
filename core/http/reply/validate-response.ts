import { channel } from 'node:diagnostics_channel'
import type { FastifyReply } from 'fastify'
import type { AnyEndpoint } from '../endpoint/endpoint.ts'
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
    const check = checks.get(status)
    const where = `${endpoint.method} ${endpoint.url}: answer ${status}`
    if (check === undefined) throw new Error(`${where} is not declared`)
    const value: unknown = JSON.parse(result instanceof JsonPieces ? String(result) : JSON.stringify(result))
    const errors = check(value).map(({ pointer, detail }) => `${pointer} ${detail}`)
    if (errors.length > 0) throw new Error(`${where} differs from its schema: ${errors.join('; ')}`)
    checkedResponses.publish({ endpoint, status, value } satisfies CheckedResponse)
  }
}
