import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import { recordFailedOutcome } from './audit/record-outcome.ts'
import { errorOf, stateOf } from './endpoint/request-context.ts'
import type { Failure } from './endpoint/request-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { serverPart } from './endpoint/server-part.ts'
import { toErrorResponse } from './error-response.ts'
import type { WireError } from './problem/error-format.ts'
import type { ProblemResponse } from './problem/problem.ts'
import { endLine, toJsonBody } from './reply/json-line.ts'
import { checkWrittenError } from './reply/validate-response.ts'

/** Responds to errors and unknown paths. */
export function problemPart(services: HttpServices): FastifyPluginAsync {
  return serverPart('mesh-problem', ['mesh-services'], (app) => {
    app.setErrorHandler((error, request, reply) => sendError(services, { error, request, reply }))
    app.setNotFoundHandler((request, reply) => sendError(services, { error: new Fail('not_found'), request, reply }))
  })
}

/** A request, and why it failed. */
export interface FailedExchange {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

function sendError(services: HttpServices, { error, request, reply }: FailedExchange): FastifyReply {
  const failed = errorOf(request, error)
  const ofRole = services.errorFormat?.write(failed, describeRequest(request))
  const answer = toErrorResponse(failed, request)
  const state = stateOf(request)
  if (ofRole === undefined) state.failure = failureOf(answer)
  const complete = isPlain(request, answer) ? answer : withTrace(request, answer)
  const wire = ofRole ?? writtenByEndpoint(services, complete, request)
  recordFailedOutcome(services, request)
  if ((wire ?? answer).status === 500) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    services.log.error({ requestId: request.id, traceId: state.trace.traceId, stack }, 'request failed unexpectedly')
  }
  if (wire !== undefined) return sendWire(reply, wire)
  return sendProblem(reply, complete)
}

// The body of a 401 is constant.
function writtenByEndpoint(
  { checkResponses }: HttpServices,
  answer: ProblemResponse,
  { routeOptions, body }: FastifyRequest,
): WireError | undefined {
  const { url = '', config } = routeOptions
  const wire = answer.status === 401 ? undefined : config.endpoint?.writeError?.(answer, body)
  // Reported under its whole path, as in the OpenAPI document.
  if (checkResponses && config.endpoint !== undefined && wire !== undefined)
    checkWrittenError({ ...config.endpoint, url }, wire)
  return wire
}

/** Parts of a request that the error format of a role reads. */
export function describeRequest(request: FastifyRequest) {
  return { method: request.method, path: request.raw.url?.split(/[?#]/, 1)[0] ?? '', isUnknown: request.is404 }
}

function failureOf({ status, problem: { code, cluster } }: ProblemResponse): Failure {
  const name = cluster?.details?.name
  return {
    code,
    status,
    ...(cluster?.auditId === undefined ? {} : { auditId: cluster.auditId }),
    ...(name === undefined ? {} : { name }),
  }
}

// Byte-identical for every caller (section "errors"): an unknown path, an unknown share, a missing bearer.
function isPlain(request: FastifyRequest, answer: ProblemResponse): boolean {
  if (answer.status === 401) return true
  return answer.status === 404 && (request.is404 || request.routeOptions.config.endpoint?.authz.kind === 'public')
}

function withTrace(request: FastifyRequest, answer: ProblemResponse): ProblemResponse {
  const path = request.raw.url?.split(/[?#]/, 1)[0] ?? ''
  const { traceId } = stateOf(request).trace
  // S5: the path of a share contains its token.
  if (request.routeOptions.config.public === true) return { ...answer, problem: { ...answer.problem, traceId } }
  return { ...answer, problem: { ...answer.problem, instance: path.slice(0, 2048), traceId } }
}

/** Sends a problem. */
export function sendProblem(reply: FastifyReply, { status, headers, problem }: ProblemResponse): FastifyReply {
  return sendWire(reply, { status, headers, contentType: 'application/problem+json', body: toJsonBody(problem) })
}

/** Sends an error in the format of its role. */
export function sendWire(reply: FastifyReply, { status, headers, contentType, body }: WireError): FastifyReply {
  return reply.code(status).headers(headers).type(contentType).serializer(String).send(endLine(body))
}
