import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { coreErrors } from '#core/errors/core-errors.ts'
import { createTraceScope } from '#core/telemetry/trace-context.ts'
import type { TraceScope } from '#core/telemetry/trace-context.ts'
import { toUnixNano } from '#core/telemetry/tracer.ts'
import type { Tracer } from '#core/telemetry/tracer.ts'
import { onClose } from '#core/net/on-close.ts'
import { httpMetrics } from './limits/metrics.ts'
import { stateOf } from './endpoint/request-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'
import { serverPart } from './endpoint/server-part.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Counts, measures, logs and traces every request by the template of its route, never by its URL. A query or the token of a share must not
 * reach metrics, logs or traces (D5, S5). The caller is omitted as well; that belongs to the audit log.
 */
export function telemetryPart(services: HttpServices): FastifyPluginAsync {
  return serverPart('mesh-telemetry', ['mesh-services'], (app) => observeRequests(app, services))
}

function observeRequests(app: FastifyInstance, services: HttpServices): void {
  const inFlight = services.metrics.gauge(httpMetrics.inFlight)
  const seconds = services.metrics.histogram(httpMetrics.requestSeconds)
  const scopes = new WeakMap<FastifyRequest, TraceScope>()
  const ended = (request: FastifyRequest, reply: FastifyReply): void => {
    // A request ends once: with its response, or when a client disconnects first (no onResponse then).
    const scope = scopes.get(request)
    if (scope === undefined) return
    scopes.delete(request)
    scope.close()
    const seen = toSeen(request, reply)
    if (!seen.stream) seconds.observe(seen.seconds, { ...seen.labels, status: `${Math.floor(seen.status / 100)}xx` })
    logAccess(services, request, seen)
    if (services.tracer !== undefined) record(services.tracer, request, seen)
  }
  app.addHook('onRequest', (request, reply, done) => {
    inFlight.add(1)
    onClose(reply.raw, () => {
      inFlight.add(-1)
      ended(request, reply)
    })
    const scope = createTraceScope(stateOf(request).trace, services.tracer)
    scopes.set(request, scope)
    scope.run(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    ended(request, reply)
    done()
  })
}

interface Seen {
  readonly labels: { readonly method: string; readonly route: string }
  readonly status: number
  readonly seconds: number
  readonly stream: boolean
}

function toSeen(request: FastifyRequest, reply: FastifyReply): Seen {
  const { url = 'unknown', config } = request.routeOptions
  return {
    labels: { method: methods.has(request.method) ? request.method : 'other', route: url },
    status: reply.raw.headersSent ? reply.statusCode : coreErrors.client_closed_request.status,
    seconds: (performance.now() - stateOf(request).startedAt) / 1000,
    stream: config.endpoint?.stream === true,
  }
}

function logAccess({ log, accessLog }: HttpServices, request: FastifyRequest, { labels, status, seconds }: Seen): void {
  const { trace, callerTrace } = stateOf(request)
  const { traceId } = trace
  const caller =
    callerTrace === undefined || callerTrace.traceId === traceId ? {} : { callerTraceId: callerTrace.traceId }
  const ms = Math.round(seconds * 1e4) / 10
  const fields = { ...labels, status, ms, requestId: request.id, traceId, ...caller }
  log[accessLog === true ? 'info' : 'debug'](fields, 'request')
}

function record(tracer: Tracer, request: FastifyRequest, { labels, status, seconds }: Seen): void {
  const { trace, callerTrace, startedAt, failure, noted } = stateOf(request)
  const isParent = callerTrace?.traceId === trace.traceId
  tracer.record({
    ...trace,
    name: `${labels.method} ${labels.route}`,
    kind: 'server',
    parentSpanId: isParent ? callerTrace.spanId : undefined,
    startedAt: toUnixNano(startedAt),
    endedAt: toUnixNano(startedAt + seconds * 1000),
    status: status >= 500 ? 'error' : 'ok',
    attributes: {
      'http.request.method': labels.method,
      'http.route': labels.route,
      'http.response.status_code': status,
      ...noted,
      ...(callerTrace === undefined || isParent
        ? {}
        : { 'mesh.caller.trace_id': callerTrace.traceId, 'mesh.caller.span_id': callerTrace.spanId }),
      ...(failure === undefined ? {} : { 'error.type': failure.code }),
    },
  })
}
