import type { FastifyReply } from 'fastify'
import { describeError } from '#core/log/describe-error.ts'
import type { HttpServices } from '../endpoint/server-context.ts'
import { stateOf } from '../endpoint/request-context.ts'
import { toProblemResponse } from '../problem/problem.ts'

/**
 * Cuts the connection of a handler that failed after it had taken the reply over. An open stream would send heartbeats without events, and a
 * proper end would make a client take the beginning for the whole. Throws the error while a response can still be written.
 */
export function cutReply(
  { log, streams }: Pick<HttpServices, 'log' | 'streams'>,
  reply: FastifyReply,
  error: unknown,
): undefined {
  if (!reply.sent) throw error
  const { raw, request } = reply
  // The client has closed the connection, which is why the handler failed.
  if (raw.destroyed || raw.writableEnded) return undefined
  const { code } = toProblemResponse(error).problem
  const about = { requestId: request.id, traceId: stateOf(request).trace.traceId, code }
  if (code === 'internal_error') log.error({ ...about, err: describeError(error) }, 'response cut: handler failed')
  else log.warn(about, 'response cut: handler failed')
  streams.dropped('failed')
  raw.destroy()
  return undefined
}
