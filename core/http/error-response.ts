import type { FastifyRequest } from 'fastify'
import { bodyTooLarge, unsupportedMediaType } from './input/body-errors.ts'
import { toProblemResponse } from './problem/problem.ts'
import type { ProblemResponse } from './problem/problem.ts'
import { stateOf } from './endpoint/request-context.ts'
import { servicesOf } from './endpoint/server-context.ts'

/** Creates the response to an error and adds details of its request: limits and media types of the route, the object, a remedy. */
export function toErrorResponse(error: unknown, request: FastifyRequest): ProblemResponse {
  const answer = toProblemResponse(fromParser(error, request))
  const detail = missingObject(answer, request) ?? deniedList(answer, request)
  return detail === undefined ? answer : { ...answer, problem: { ...answer.problem, detail } }
}

function fromParser(error: unknown, request: FastifyRequest): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedMediaType(request)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(request.routeOptions.bodyLimit)
  return error
}

// The API server's 404 names plural and object but not the namespace, which is the most frequent mistake.
function missingObject({ status, problem: { cluster } }: ProblemResponse, request: FastifyRequest): string | undefined {
  const { name, kind } = cluster?.details ?? {}
  if (status !== 404 || name === undefined || kind === undefined) return undefined
  const { params, attempted } = stateOf(request)
  const namespace = attempted?.name === name ? attempted.namespace : params['name'] === name ? params['ns'] : undefined
  const place = typeof namespace === 'string' && namespace !== '' ? ` in ${namespace}` : ''
  const noun = servicesOf(request.server).names?.nounOf(kind)
  return noun && `There is no ${noun} ${name}${place}.`
}

// Without a namespace the list covers the whole cluster, which few callers may list.
function deniedList({ status, problem }: ProblemResponse, request: FastifyRequest): string | undefined {
  const { endpoint } = request.routeOptions.config
  const properties: unknown =
    endpoint?.query !== undefined && 'properties' in endpoint.query && endpoint.query.properties
  if (status !== 403 || endpoint?.method !== 'GET' || typeof properties !== 'object' || properties === null)
    return undefined
  const { namespace, scope } = stateOf(request).query
  if (!('namespace' in properties) || (namespace ?? '') !== '' || scope !== undefined) return undefined
  const reason = (problem.detail ?? problem.title).replace(/\.$/, '')
  return `${reason}. Name a namespace${'scope' in properties ? ', or use scope=permitted' : ''}.`
}
