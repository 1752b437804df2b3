import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import test from 'node:test'
import { Type } from 'typebox'
import { currentTrace, inSpan } from '#core/telemetry/trace-context.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { endpoint } from './endpoint/endpoint.ts'
import { openEventStream } from './stream/event-stream.ts'
import { buildServer } from './testing/build-server.ts'

const traceId = 'a'.repeat(32)
const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
const headers = { authorization: 'Bearer good-token', traceparent }

test('D5: metrics, log and trace of a request contain the template of its route, never the URL', async (t) => {
  const ended: EndedSpan[] = []
  let inside: string | undefined
  const things = endpoint({
    method: 'POST',
    url: '/things/:ns',
    summary: 'x',
    authz: { kind: 'bearer' },
    body: Type.Object({ text: Type.String() }),
    response: { 200: Type.Object({}) },
    handle: async () => {
      inside = currentTrace()?.traceId
      await inSpan({ name: 'work', kind: 'client' }, async () => undefined)
      return {}
    },
  })
  const { app, lines, services } = await buildServer(t, [{ endpoints: [things] }], {
    tracer: createTracer((span) => ended.push(span)),
    continuesTraces: true,
  })
  const made = await app.inject({
    method: 'POST',
    url: '/api/things/canary-ns?x=1',
    headers: { ...headers, 'content-type': 'application/json' },
    payload: JSON.stringify({ text: 'canary-body' }),
  })
  assert.equal(made.statusCode, 400, 'an unknown query parameter')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const json = { ...headers, 'content-type': 'application/json' }
  const sent = httpRequest(`${address}/api/things/canary-ns`, { method: 'POST', headers: json })
  sent.flushHeaders()
  await once(app.server, 'request')
  sent.end(JSON.stringify({ text: 'canary-body' }))
  const [done] = (await once(sent, 'response')) as [IncomingMessage]
  assert.equal(done.statusCode, 200)
  await once(done.resume(), 'end')
  await app.inject({ method: 'GET', url: '/api/canary-path', headers })
  // The trace is kept after the body was read, which arrived in a separate packet.
  assert.equal(inside, traceId)
  const server = ended.filter(({ kind }) => kind === 'server')
  assert.deepEqual(
    server.map(({ name, attributes }) => [name, attributes['http.response.status_code'], attributes['error.type']]),
    [
      ['POST /api/things/:ns', 400, 'invalid_query'],
      ['POST /api/things/:ns', 200, undefined],
      ['GET unknown', 404, 'not_found'],
    ],
  )
  assert.deepEqual(
    server.map((span) => [span.traceId, span.parentSpanId]),
    Array.from({ length: 3 }, () => [traceId, 'b'.repeat(16)]),
  )
  const work = ended.find(({ name }) => name === 'work')
  assert.equal(work?.parentSpanId, server[1]?.spanId)
  const text = await services.metrics.render()
  assert.match(text, /mesh_http_request_seconds_count\{method="POST",route="\/api\/things\/:ns",status="2xx"\} 1/)
  assert.match(text, /mesh_http_request_seconds_count\{method="GET",route="unknown",status="4xx"\} 1/)
  assert.match(text, /^mesh_http_requests_in_flight 0$/m)
  const access = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request')
  assert.deepEqual(
    access.map(({ route, status, traceId: id }) => [route, status, id]),
    [
      ['/api/things/:ns', 400, traceId],
      ['/api/things/:ns', 200, traceId],
      ['unknown', 404, traceId],
    ],
  )
  const everything = JSON.stringify([lines, text, ended], (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.doesNotMatch(everything, /canary|good-token/)
})

test('SEC26: the trace context of a caller of the BFF becomes a link, never the parent', async (t) => {
  const ended: EndedSpan[] = []
  let given = ''
  const things = endpoint({
    method: 'POST',
    url: '/things',
    summary: 'x',
    authz: { kind: 'bearer' },
    response: { 200: Type.Object({}) },
    handle: async (call) => {
      given = call.traceparent
      return {}
    },
  })
  const { app, lines } = await buildServer(t, [{ endpoints: [things] }], {
    tracer: createTracer((span) => ended.push(span)),
  })
  const answer = await app.inject({ method: 'POST', url: '/api/things', headers })
  assert.equal(answer.statusCode, 200)
  const [span] = ended.filter(({ kind }) => kind === 'server')
  assert.ok(span)
  assert.notEqual(span.traceId, traceId)
  assert.equal(given.slice(3, 35), span.traceId, 'runs and audit rows are of the trace of the request')
  assert.equal(span.parentSpanId, undefined)
  assert.deepEqual(
    [span.attributes['mesh.caller.trace_id'], span.attributes['mesh.caller.span_id']],
    [traceId, 'b'.repeat(16)],
  )
  const access = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === 'request')
  assert.deepEqual([access?.['traceId'], access?.['callerTraceId']], [span.traceId, traceId])
})

test('X1: open, refused and revoked event streams are counted', async (t) => {
  const streams = endpoint({
    method: 'GET',
    url: '/streams',
    summary: 'x',
    authz: { kind: 'bearer' },
    stream: true,
    response: { 200: Type.Any() },
    handle: async (call) => {
      await openEventStream(call, { recheckMs: 20, recheck: () => Promise.reject(new Error('gone')) }).closed
    },
  })
  const { app, services } = await buildServer(t, [{ endpoints: [streams] }], { streams: { total: 0, perUser: 1 } })
  const refused = await app.inject({ method: 'GET', url: '/api/streams', headers })
  assert.equal(refused.statusCode, 429)
  assert.match(await services.metrics.render(), /mesh_event_streams_dropped_total\{reason="refused"\} 1/)
  const other = await buildServer(t, [{ endpoints: [streams] }])
  const address = await other.app.listen({ host: '127.0.0.1', port: 0 })
  const client = httpRequest(`${address}/api/streams`, { headers }).end()
  const [response] = (await once(client, 'response')) as [NodeJS.ReadableStream]
  response.resume()
  await once(response, 'end')
  const text = await other.services.metrics.render()
  assert.match(text, /mesh_event_streams_dropped_total\{reason="revoked"\} 1/)
  assert.match(text, /^mesh_event_streams_open 0$/m)
  // The client decides how long a stream lasts, so it is not counted as latency.
  assert.doesNotMatch(text, /mesh_http_request_seconds_count\{method="GET",route="\/api\/streams"/)
})
