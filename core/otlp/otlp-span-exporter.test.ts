import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { createLogger } from '#core/log/create-logger.ts'
import { defineCounter } from '#core/telemetry/metrics.ts'
import { createOtlpMetrics } from '#core/telemetry/otlp-metrics.ts'
import { createOtlpExporter } from './otlp-span-exporter.ts'
import { createSpanEncoder, fromEnded } from './write-json.ts'
import { startCollector } from '#core/telemetry/testing/collector.ts'
import { asSpan, createTraceScope, currentTrace, inSpan } from '#core/telemetry/trace-context.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import type { EndedSpan } from '#core/telemetry/tracer.ts'
import { parseTraceparent, startTrace } from '#core/telemetry/traceparent.ts'

type Ends = { after(fn: () => unknown): void }

function createExporter(t: Ends, endpoint: string) {
  const lines: string[] = []
  const counted = { exported: 0, dropped: 0 }
  const pool = new Agent()
  const origin = { resource: { 'service.name': 'mesh-test' }, scope: 'mesh' }
  const encode = createSpanEncoder()
  const queue = createOtlpExporter({
    endpoint,
    dispatcher: async () => pool,
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    count: {
      exported: (spans) => (counted.exported += spans),
      dropped: (spans) => (counted.dropped += spans),
    },
    flushEveryMs: 3_600_000,
  })
  const exporter = { ...queue, add: (span: EndedSpan) => queue.add(encode(origin, fromEnded(span))) }
  t.after(() => exporter.close().finally(() => pool.destroy()))
  return { exporter, queue, counted, lines, tracer: createTracer((span) => exporter.add(span)) }
}

test('OTLP: metrics are pushed with their totals; a collector that does not accept them is logged once', async (t) => {
  const collector = await startCollector(t)
  const lines: string[] = []
  const pool = new Agent()
  const spec = defineCounter({ name: 'mesh_test_total', help: 'Test.', labels: ['state'], roles: ['launcher'] })
  let value = 0
  const metrics = createOtlpMetrics({
    endpoint: collector.endpoint,
    resource: { 'service.name': 'mesh-test' },
    scope: 'mesh',
    dispatcher: async () => pool,
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    collect: () => (value === 0 ? [] : [{ spec, labels: { state: 'ok' }, value }]),
    everyMs: 3_600_000,
  })
  t.after(() => metrics.close().finally(() => pool.destroy()))
  await metrics.push()
  assert.deepEqual(collector.bodies, [])
  value = 2
  collector.status = 500
  for (let times = 0; times < 3; times++) await metrics.push()
  assert.equal(lines.filter((line) => line.includes('metrics not accepted')).length, 1)
  collector.status = 200
  await metrics.push()
  assert.match(
    collector.bodies.at(-1) ?? '',
    /"name":"mesh_test_total".*"stringValue":"ok".*"asDouble":2.*"aggregationTemporality":2,"isMonotonic":true/,
  )
})

test('F6: small spans with large resources of their own fill the queue by its bytes', async (t) => {
  const { queue, counted } = createExporter(t, 'http://127.0.0.1:9')
  const ended: EndedSpan[] = []
  const tracer = createTracer((span) => ended.push(span))
  await asSpan({ tracer, parent: undefined, name: { name: 'small', kind: 'internal' } }, async () => undefined)
  const [span] = ended
  assert.ok(span)
  const encode = createSpanEncoder()
  const add = (bytes: number): void =>
    queue.add(encode({ resource: { text: 'x'.repeat(bytes) }, scope: 'lib' }, fromEnded(span)))
  for (let n = 0; n < 40; n++) add(1_000_000)
  assert.equal(counted.dropped, 24, '16 MB of resources wait')
  add(1_000)
  assert.equal(counted.dropped, 24, 'a usual one has a place')
})

test('OTLP: spans arrive with their ids, kinds, parents and attributes', async (t) => {
  const collector = await startCollector(t)
  const { exporter, tracer, counted } = createExporter(t, collector.endpoint)
  const parent = parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)
  await asSpan({ tracer, parent, name: { name: 'outer', kind: 'server' } }, async (note) => {
    note({ 'http.response.status_code': 201, ok: true, share: 0.5 })
    await assert.rejects(
      inSpan({ name: 'inner', kind: 'client' }, () => Promise.reject(new TypeError('a secret'))),
      TypeError,
    )
  })
  await exporter.flush()
  const [inner, outer] = collector.spans
  assert.deepEqual(
    [outer?.name, outer?.kind, outer?.traceId, outer?.parentSpanId, outer?.status.code],
    ['outer', 2, 'a'.repeat(32), 'b'.repeat(16), 1],
  )
  assert.deepEqual(outer?.attributes, [
    { key: 'http.response.status_code', value: { intValue: '201' } },
    { key: 'ok', value: { boolValue: true } },
    { key: 'share', value: { doubleValue: 0.5 } },
  ])
  assert.deepEqual(
    [inner?.name, inner?.kind, inner?.parentSpanId, inner?.status.code, inner?.service],
    ['inner', 3, outer?.spanId, 2, 'mesh-test'],
  )
  assert.ok(BigInt(inner?.endTimeUnixNano ?? 0) >= BigInt(inner?.startTimeUnixNano ?? 1))
  // Only the class of an error is recorded, never its message.
  assert.doesNotMatch(collector.bodies.join(''), /secret/)
  assert.deepEqual(counted, { exported: 2, dropped: 0 })
})

test('H4: with the collector refusing, silent or gone, spans are dropped and counted without blocking', async (t) => {
  const collector = await startCollector(t)
  const { exporter, counted, tracer, lines } = createExporter(t, collector.endpoint)
  const span = (): Promise<number> => asSpan({ tracer, parent: undefined, name: 'x' }, async () => 1)
  collector.status = 503
  for (let round = 0; round < 3; round++) {
    await span()
    await exporter.flush()
  }
  assert.deepEqual(counted, { exported: 0, dropped: 3 })
  assert.equal(lines.length, 1, 'one line for many failures')
  collector.status = 0
  await span()
  const stuck = exporter.flush()
  // While a post hangs, the queue fills to its limit and the rest is counted as dropped immediately.
  for (let made = 0; made < 3000; made++) await span()
  assert.equal(counted.dropped, 3 + 3000 - 2048)
  assert.equal(lines.filter((line) => line.includes('the queue is full')).length, 10, 'one line for each doubling')
  void stuck
  const gone = createExporter(t, 'http://127.0.0.1:1')
  await asSpan({ tracer: gone.tracer, parent: undefined, name: 'x' }, async () => 1)
  await gone.exporter.flush()
  assert.deepEqual(gone.counted, { exported: 0, dropped: 1 })
})

test('traces: log lines of a scope carry its id; after it is closed nothing does', async () => {
  const lines: { traceId?: string; msg: string }[] = []
  const log = createLogger({
    currentTrace,
    destination: { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) },
  })
  const ended: EndedSpan[] = []
  const trace = startTrace()
  const scope = createTraceScope(
    trace,
    createTracer((span) => ended.push(span)),
  )
  const late = Promise.withResolvers<void>()
  let background: Promise<void> | undefined
  await scope.run(async () => {
    log.info({}, 'inside')
    await sleep(1)
    log.child({ a: 1 }).info({}, 'after a wait')
    background = late.promise.then(() => inSpan('late', async () => log.info({}, 'late')))
    await inSpan('one', async () => assert.equal(currentTrace()?.traceId, trace.traceId))
  })
  scope.close()
  late.resolve()
  await background
  log.info({ traceId: 'own' }, 'own')
  assert.deepEqual(
    lines.map(({ traceId, msg }) => [msg, traceId]),
    [
      ['inside', trace.traceId],
      ['after a wait', trace.traceId],
      ['late', undefined],
      ['own', 'own'],
    ],
  )
  assert.deepEqual(
    ended.map(({ name, parentSpanId }) => [name, parentSpanId]),
    [['one', trace.spanId]],
  )
})
