import assert from 'node:assert/strict'
import test from 'node:test'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { getPriority } from 'node:os'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { TracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import { startCollector } from '#core/telemetry/testing/collector.ts'
import { freePort } from '#test/harness/free-port.ts'
import { answers, startMemoryServer } from '#launcher/testdata/memory-server.ts'
import { startTestLauncher } from '#launcher/testdata/start-launcher.ts'
import type { Pod } from '#launcher/contract/listener.ts'
import { createCountReports } from './count-reports.ts'
import { collectorListener } from './listener.ts'
import { MAX_EXPORT_BYTES } from './port.ts'
import type { ThreadCounts } from './thread-settings.ts'

const tracesOf = (fields: object = {}) => ({ store: true, capture: 'metadata', redact: [], sampleRate: 1, ...fields })

/** A launcher with its collector, and what the state role and an OTLP backend receive. */
async function start(t: TestContext, { traces = tracesOf(), backend = '', httpPort = 0 } = {}) {
  const state = await startMemoryServer(t)
  state.reply = answers(200, { accepted: 1, rejected: 0 })
  const { open, lines, close } = await startTestLauncher(t, {
    config: { name: 'robot', namespace: 'default', uid: 'uid-1', plugins: { traces } },
    env: {
      OTLP_GRPC_PORT: '0',
      OTLP_HTTP_PORT: String(httpPort),
      STATE_URL: state.url,
      ...(backend === '' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: backend }),
    },
  })
  const http = `http://127.0.0.1:${open['otlpHttp']}`
  return {
    state,
    lines,
    close,
    http,
    grpc: `http://127.0.0.1:${open['otlpGrpc']}`,
    post: (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}, path = '/v1/traces') =>
      fetch(`${http}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }),
    /** Texts of the exports with spans that the state role received. */
    stored: () => state.requests.filter(({ path }) => path === '/spans').map(({ text }) => text),
  }
}

/** Ends a span through an exporter of the public SDK; resolves with its result. */
async function exportOne(exporter: SpanExporter, name: string): Promise<string> {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'my-agent', 'mesh.agent.uid': 'forged' }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  })
  const span = provider.getTracer('my-lib').startSpan(name, { kind: SpanKind.CLIENT })
  span.setAttributes({ 'gen_ai.request.model': 'gpt-x', 'gen_ai.input.messages': 'a secret', tokens: 7 })
  span.addEvent('token', { 'exception.type': 'Oops' })
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'a secret' })
  span.end()
  const { traceId } = span.spanContext()
  await provider.forceFlush()
  await provider.shutdown()
  return traceId
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await pause(10)
}

// The body is not sent: the connection is closed after the refusal, which a writer may notice first.
async function statusOfLarge(url: string): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', 'content-length': MAX_EXPORT_BYTES + 1 }
  const sent = request(`${url}/v1/traces`, { method: 'POST', headers })
  sent.flushHeaders()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  sent.destroy()
  return response.statusCode
}

const now = (): string => String(BigInt(Date.now()) * 1_000_000n)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanOf = (fields: object = {}) => ({
  traceId,
  spanId: '00f067aa0ba902b7',
  name: 'work',
  startTimeUnixNano: now(),
  endTimeUnixNano: now(),
  ...fields,
})
const exportOf = (...spans: readonly object[]): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

test('H4: spans of the public SDKs arrive at the store and the backend, redacted, over gRPC and HTTP', async (t) => {
  const backend = await startCollector(t)
  const { grpc, http, stored } = await start(t, { backend: backend.endpoint })
  const url = `${http}/v1/traces`
  const exporters: Readonly<Record<string, SpanExporter>> = {
    grpc: new GrpcExporter({ url: grpc }),
    'grpc with gzip': new GrpcExporter({ url: grpc, compression: 'gzip' as never }),
    json: new JsonExporter({ url }),
    protobuf: new ProtobufExporter({ url }),
    'protobuf with gzip': new ProtobufExporter({ url, compression: 'gzip' as never }),
  }
  for (const [name, exporter] of Object.entries(exporters)) {
    const id = await exportOne(exporter, `${name} call`)
    await until(() => backend.spans.some((span) => span.traceId === id) && stored().join('').includes(id))
    const span = backend.spans.find((one) => one.traceId === id)
    assert.deepEqual([span?.name, span?.kind, span?.status.code, span?.service], [`${name} call`, 3, 2, 'my-agent'])
    assert.deepEqual(span?.attributes, [
      { key: 'gen_ai.request.model', value: { stringValue: 'gpt-x' } },
      { key: 'tokens', value: { intValue: '7' } },
    ])
  }
  const all = [...stored(), ...backend.bodies].join('')
  assert.doesNotMatch(all, /secret|forged/)
  assert.match(all, /"mesh\.agent\.uid","value":\{"stringValue":"uid-1"/)
})

test('OTLP: refused spans are counted in the answer, in both encodings of it', async (t) => {
  const { post, http } = await start(t)
  const mixed = exportOf(spanOf(), spanOf({ spanId: 'x' }))
  const answer = await post(mixed)
  assert.deepEqual(await answer.json(), {
    partialSuccess: { rejectedSpans: '1', errorMessage: 'spanId: must be 8 bytes that are not all zero' },
  })
  assert.deepEqual(await (await post(exportOf(spanOf()))).json(), {})
  const empty = await fetch(`${http}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: new Uint8Array(),
  })
  assert.deepEqual([empty.status, empty.headers.get('content-type')], [200, 'application/x-protobuf'])
})

test('H1, F1, F9: hostile requests over HTTP are refused with their status, and nothing is stored', async (t) => {
  const { post, http, stored, state } = await start(t)
  const protobuf = { 'content-type': 'application/x-protobuf' }
  const gzip = { 'content-encoding': 'gzip' }
  const bomb = gzipSync(Buffer.alloc(MAX_EXPORT_BYTES + 1, 0x20))
  const cases: readonly (readonly [
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string>,
    status: number,
  ])[] = [
    ['{', {}, 400],
    ['[]', {}, 400],
    ['{"resourceSpans":1}', {}, 400],
    ['['.repeat(100_000), {}, 400],
    [exportOf(spanOf({ startTimeUnixNano: -1 })), {}, 400],
    [exportOf(spanOf({ traceId: { a: 1 } })), {}, 400],
    [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f]), protobuf, 400],
    [exportOf(spanOf()), protobuf, 400],
    [bomb, gzip, 413],
    [bomb, { ...gzip, ...protobuf }, 413],
    [bomb.subarray(0, -10), gzip, 400],
    ['no gzip', gzip, 400],
    ['{}', { 'content-encoding': 'br' }, 415],
    ['{}', { 'content-encoding': 'gzip, gzip' }, 415],
    ['{}', { 'content-type': 'text/plain' }, 415],
    ['{}', { origin: 'http://example.com' }, 403],
    ['{}', Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`x-${index}`, '1'])), 431],
  ]
  for (const [body, headers, status] of cases) {
    const answer = await post(body, headers)
    const text = await answer.text()
    assert.equal(answer.status, status, `${JSON.stringify(headers).slice(0, 80)}: ${text}`)
    assert.equal(typeof (JSON.parse(text) as { code: unknown }).code, 'number', 'a google.rpc.Status')
  }
  assert.equal(await statusOfLarge(http), 413)
  for (const path of ['/v1/metrics', '/v1/logs', '/v1/traces/x', '/'])
    assert.equal((await post('{}', {}, path)).status, 404, path)
  assert.equal((await fetch(`${http}/v1/traces`)).status, 405)
  const text = 'a\0b\ud800'
  assert.equal((await post(exportOf(spanOf({ name: text })))).status, 200)
  await until(() => stored().length > 0)
  assert.match(stored()[0] ?? '', /"name":"a\ufffdb\ufffd"/)
  assert.equal(state.requests.filter(({ path }) => path !== '/spans').length, 0)
  assert.equal(stored().join('').split('"spanId"').length - 1, 1)
})

test('H1, F9: hostile requests over gRPC end with their status, also after a broken one', async (t) => {
  const { grpc, stored } = await start(t)
  const session = connectHttp2(grpc)
  t.after(() => session.destroy())
  const call = async (body: Buffer, headers: Record<string, string> = {}) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    let trailers: Record<string, unknown> = {}
    stream.on('trailers', (given: Record<string, unknown>) => (trailers = given))
    stream.on('error', () => undefined).resume()
    const answered = once(stream, 'response')
    stream.end(body)
    const [response] = (await answered) as [Record<string, unknown>]
    await once(stream, 'close')
    return [response[':status'], trailers['grpc-status']]
  }
  const framed = (message: Buffer, flag = 0): Buffer => {
    const prefix = Buffer.alloc(5)
    prefix[0] = flag
    prefix.writeUInt32BE(message.length, 1)
    return Buffer.concat([prefix, message])
  }
  const gzip = { 'grpc-encoding': 'gzip' }
  const bomb = gzipSync(Buffer.alloc(MAX_EXPORT_BYTES + 1))
  const INVALID_ARGUMENT = '3'
  const RESOURCE_EXHAUSTED = '8'
  assert.deepEqual(await call(framed(Buffer.alloc(0))), [200, '0'])
  assert.deepEqual(await call(framed(gzipSync(Buffer.alloc(0)), 1), gzip), [200, '0'])
  for (const [body, headers, code] of [
    [Buffer.alloc(0), {}, INVALID_ARGUMENT],
    [Buffer.from([0, 0, 0]), {}, INVALID_ARGUMENT],
    // Ten bytes are announced.
    [Buffer.from([0, 0, 0, 0, 10]), {}, INVALID_ARGUMENT],
    [framed(Buffer.from([0x0a, 0x05])), {}, INVALID_ARGUMENT],
    [Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]), {}, INVALID_ARGUMENT],
    [framed(Buffer.alloc(0), 2), {}, INVALID_ARGUMENT],
    [framed(Buffer.from('x'), 1), gzip, INVALID_ARGUMENT],
    [framed(Buffer.from('x'), 1), { 'grpc-encoding': 'zstd' }, INVALID_ARGUMENT],
    [framed(bomb, 1), gzip, RESOURCE_EXHAUSTED],
  ] as const)
    assert.deepEqual(await call(body, headers), [200, code], `${body.subarray(0, 8).toString('hex')} ${code}`)
  // gRPC clients map these to UNIMPLEMENTED and UNKNOWN.
  const metrics = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export'
  assert.deepEqual(await call(framed(Buffer.alloc(0)), { ':path': metrics }), [404, undefined])
  assert.deepEqual(await call(framed(Buffer.alloc(0)), { 'content-type': 'application/json' }), [415, undefined])
  assert.deepEqual(await call(framed(Buffer.alloc(0)), { ':authority': 'evil.example' }), [421, undefined])
  assert.deepEqual(await call(framed(Buffer.alloc(0))), [200, '0'])
  assert.deepEqual(stored(), [])
})

test('H4: with the state role refusing and the backend away, exports are taken at once, and drops are counted', async (t) => {
  const { post, state, lines, close } = await start(t, { backend: `http://127.0.0.1:${await freePort()}` })
  state.reply = answers(503, {})
  for (let made = 0; made < 5; made++)
    assert.equal((await post(exportOf(spanOf(), spanOf({ spanId: 'x' })))).status, 200)
  await close()
  assert.ok(lines.every(({ msg }) => msg !== 'request failed'))
})

test('H4: the launcher counts what the ports refuse, and spans that reach no destination', async (t) => {
  const state = await startMemoryServer(t)
  state.reply = answers(503, {})
  const ports: Record<string, number> = {}
  const note = (fields: object): void => {
    const { listener, port } = fields as { readonly listener?: string; readonly port?: number }
    if (listener !== undefined) ports[listener] = Number(port)
  }
  const log = { debug: note, info: note, warn: note, error: note }
  const counted: Record<string, number> = {}
  const count = (name: string, by: number): void => void (counted[name] = (counted[name] ?? 0) + by)
  const meter = {
    refused: (listener: string, code: string, by: number) => count(`${listener} ${code}`, by),
    dropped: count,
  }
  const settings = {
    otlpHeaders: {},
    stateUrl: state.url,
    logLevel: 'error',
    agent: { name: 'robot', namespace: 'default', uid: 'uid-1', plugins: { traces: tracesOf() } },
    ports: () => 0,
  }
  const collector = await collectorListener.start({ settings, log, meter } as unknown as Pod, [])
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${ports['otlpHttp']}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  for (const body of ['{', '[]', exportOf(spanOf(), spanOf({ spanId: '00f067aa0ba902b8' }))]) await post(body)
  const session = connectHttp2(`http://127.0.0.1:${ports['otlpGrpc']}`)
  t.after(() => session.destroy())
  const call = session.request({
    ':method': 'POST',
    ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    'content-type': 'application/grpc',
  })
  call.resume().end(Buffer.alloc(0))
  await once(call, 'close')
  session.destroy()
  // Closing sends the last spans and the last counts.
  await collector.close?.()
  assert.deepEqual(counted, { 'otlpHttp malformed_request': 2, 'otlpGrpc malformed_request': 1, agent: 2 })
})

test('H4: a flood of refusals is one report, and nothing is reported twice', () => {
  const reported: ThreadCounts[] = []
  const counts = createCountReports((given) => reported.push(given))
  counts.flush()
  for (let made = 0; made < 1_000; made++)
    counts.refused('otlpHttp', made % 2 === 0 ? 'malformed_request' : 'not_found')
  counts.dropped(3)
  counts.dropped(4)
  counts.flush()
  counts.flush()
  counts.dropped(1)
  counts.flush()
  assert.deepEqual(reported, [
    {
      refusals: [
        { listener: 'otlpHttp', code: 'malformed_request', count: 500 },
        { listener: 'otlpHttp', code: 'not_found', count: 500 },
      ],
      droppedSpans: 7,
    },
    { refusals: [], droppedSpans: 1 },
  ])
})

test('traces: an agent that captures nothing has open ports, and no span leaves its pod', async (t) => {
  const { post, stored, close } = await start(t, { traces: tracesOf({ capture: 'none' }) })
  assert.equal((await post(exportOf(spanOf()))).status, 200)
  await close()
  assert.deepEqual(stored(), [])
})

test('H4: a port of the collector that is in use ends the start by its number', async (t) => {
  const { http } = await start(t)
  const port = new URL(http).port
  const env = { OTLP_GRPC_PORT: '0', OTLP_HTTP_PORT: port, STATE_URL: 'http://127.0.0.1:1' }
  const config = { name: 'robot', namespace: 'default', uid: 'uid-1' }
  await assert.rejects(startTestLauncher(t, { config, env }), { code: 'EADDRINUSE', port: Number(port) })
})

test(
  'H4: reading spans gives way to requests of the launcher',
  { skip: process.platform !== 'linux' && 'threads have no priority of their own' },
  async (t) => {
    const own = getPriority()
    await start(t)
    const nice = readdirSync('/proc/self/task').map((id) => niceOf(`/proc/self/task/${id}/stat`))
    assert.ok(nice.includes(Math.min(19, own + 10)), nice.join(' '))
    assert.equal(getPriority(), own)
  },
)

// Field 19 (proc_pid_stat(5)); the name of the thread, which may have blanks, is in brackets.
function niceOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')[16])
  } catch {
    // The thread has ended meanwhile.
    return 0
  }
}

test('H4: a collector that ends is started again, and the launcher stays', async (t) => {
  const threads: Worker[] = []
  const note = (thread: Worker): void => void threads.push(thread)
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  const { http, lines, post, stored } = await start(t, { httpPort: await freePort() })
  await threads[0]?.terminate()
  await until(() => lines.some(({ msg }) => String(msg).startsWith('collector thread ended')))
  await until(() => lines.filter(({ listener }) => listener === 'otlpHttp').length === 2)
  assert.equal(threads.length, 2)
  assert.equal((await post(exportOf(spanOf()))).status, 200, http)
  await until(() => stored().length === 1)
})
