import assert from 'node:assert/strict'
import test from 'node:test'
import { readJsonTraces } from './read-json.ts'
import { OtlpMalformed, spanBounds } from './span.ts'
import type { OtlpSpan } from './span.ts'
import { createSpanEncoder, joinSpans } from './write-json.ts'

const now = Date.parse('2026-11-23T20:00:00Z')
const nanos = (ms: number): string => `${BigInt(ms) * 1_000_000n}`
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

const spanOf = (fields: object = {}) => ({
  traceId,
  spanId: '00f067aa0ba902b7',
  name: 'work',
  kind: 3,
  startTimeUnixNano: nanos(now - 5),
  endTimeUnixNano: nanos(now),
  ...fields,
})
const requestOf = (...spans: readonly unknown[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'py' } }] },
      scopeSpans: [{ scope: { name: 'lib' }, spans }],
    },
  ],
})
const read = (...spans: readonly unknown[]) => readJsonTraces(requestOf(...spans), now)
const one = (fields: object): OtlpSpan => {
  const [found] = read(spanOf(fields)).spans
  assert.ok(found)
  return found.span
}

test('OTLP: what is written is read again: ids, times, values, events, links and status', () => {
  const attributes = [
    { key: 'text', value: { stringValue: 'a' } },
    { key: 'int', value: { intValue: '7' } },
    { key: 'double', value: { doubleValue: 0.5 } },
    { key: 'yes', value: { boolValue: true } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x' }, { intValue: 1 }] } } },
    { key: 'map', value: { kvlistValue: { values: [{ key: '__proto__', value: { stringValue: 'own' } }] } } },
    { key: 'large', value: { intValue: '9223372036854775807' } },
  ]
  const given = spanOf({
    parentSpanId: 'B7AD6B7169203331',
    attributes,
    events: [{ name: 'exception', timeUnixNano: nanos(now), attributes: [attributes[0]] }],
    links: [
      { traceId, spanId: 'b7ad6b7169203331' },
      { traceId: 'x', spanId: 'y' },
    ],
    status: { code: 'STATUS_CODE_ERROR', message: 'failed' },
  })
  const { spans } = read(given)
  const encode = createSpanEncoder()
  const again = readJsonTraces(JSON.parse(joinSpans(spans.map(({ origin, span }) => encode(origin, span)))), now)
  assert.deepEqual(again, { spans, rejected: 0, reason: undefined })
  const [{ origin, span } = assert.fail()] = spans
  assert.deepEqual(origin, { resource: { 'service.name': 'py' }, scope: 'lib' })
  assert.equal(span.parentSpanId, 'b7ad6b7169203331')
  assert.deepEqual([span.kind, span.status, span.statusMessage], ['client', 'error', 'failed'])
  assert.deepEqual(span.links, [{ traceId, spanId: 'b7ad6b7169203331' }])
  assert.equal(span.endedAt - span.startedAt, 5_000_000n)
  assert.deepEqual(Object.keys(span.attributes['map'] as object), ['__proto__'])
  assert.equal(span.attributes['large'], '9223372036854775807')
})

test('F9: ids of a wrong length, and times of the future or of long ago, refuse the span alone', () => {
  const wrong = [
    { traceId: traceId.slice(1) },
    { traceId: '0'.repeat(32) },
    { traceId: `${traceId}00` },
    { spanId: '' },
    { spanId: 'g'.repeat(16) },
    { endTimeUnixNano: nanos(now + 11 * 60_000) },
    { startTimeUnixNano: String(2n ** 63n), endTimeUnixNano: String(2n ** 63n) },
    { startTimeUnixNano: String(2n ** 64n - 1n) },
    { startTimeUnixNano: 0, endTimeUnixNano: 0 },
    { startTimeUnixNano: '1' },
  ]
  const { spans, rejected, reason } = read(...wrong.map(spanOf), spanOf())
  assert.deepEqual(
    [spans.length, rejected, reason],
    [1, wrong.length, 'traceId: must be 16 bytes that are not all zero'],
  )
  assert.equal(one({ endTimeUnixNano: nanos(now - 10) }).endedAt, one({}).startedAt, 'an end before the start')
  assert.equal(one({ parentSpanId: 'x' }).parentSpanId, undefined)
  assert.equal(one({ parentSpanId: '00f067aa0ba902b7' }).parentSpanId, undefined, 'its own parent')
})

test('F6: a span of 10,000 attributes, events and links is bounded, and says how many are missing', () => {
  const attributes = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, value: { intValue: index } }))
  const events = Array.from({ length: 10_000 }, () => ({ name: 'e', timeUnixNano: nanos(now), attributes }))
  const links = Array.from({ length: 200 }, () => ({ traceId, spanId: '00f067aa0ba902b7' }))
  const span = one({
    attributes,
    events,
    links,
    droppedAttributesCount: 3,
    droppedEventsCount: -1,
    droppedLinksCount: 1e99,
  })
  assert.equal(Object.keys(span.attributes).length, spanBounds.attributes)
  assert.equal(span.events.length, spanBounds.events)
  assert.equal(Object.keys(span.events[0]?.attributes ?? {}).length, spanBounds.eventAttributes)
  assert.equal(span.dropped, 10_000 - 128 + 10_000 - 128 + 200 - 128 + 3)
  const most = 2 ** 31
  const dropped = { droppedAttributesCount: most, droppedEventsCount: most, droppedLinksCount: most }
  assert.equal(one(dropped).dropped, 2 ** 32 - 1, 'as OTLP can carry it on')
  const deep = Array.from({ length: 50 }).reduce<object>((value) => ({ arrayValue: { values: [value] } }), {
    stringValue: 'x',
  })
  assert.equal(JSON.stringify(one({ attributes: [{ key: 'deep', value: deep }] }).attributes['deep']), '[[[[null]]]]')
  const long = one({ name: 'n'.repeat(10_000), attributes: [{ key: 'a', value: { stringValue: 'x'.repeat(1e6) } }] })
  assert.deepEqual([long.name.length, String(long.attributes['a']).length], [spanBounds.name, spanBounds.text])
})

test('F1: NUL and lone surrogates are replaced, in names, keys and values', () => {
  const text = 'a\0b\ud800c'
  const clean = 'a\ufffdb\ufffdc'
  const span = one({
    name: text,
    attributes: [{ key: text, value: { arrayValue: { values: [{ stringValue: text }] } } }],
    status: { code: 2, message: text },
  })
  assert.deepEqual([span.name, span.statusMessage, span.attributes], [clean, clean, { [clean]: [clean] }])
})

test('F9: what is no export request is refused by the name of its field', () => {
  for (const [value, message] of [
    [[], /must be an object/],
    [null, /must be an object/],
    [{ resourceSpans: {} }, /^resourceSpans:/],
    [{ resourceSpans: [1] }, /^resourceSpans:/],
    [{ resourceSpans: [{ resource: 'x' }] }, /^resource:/],
    [{ resourceSpans: [{ scopeSpans: [null] }] }, /^scopeSpans:/],
    [requestOf(spanOf({ traceId: 7 })), /^traceId:/],
    [requestOf(spanOf({ startTimeUnixNano: -1 })), /^startTimeUnixNano:/],
    [requestOf(spanOf({ startTimeUnixNano: 1e300 })), /^startTimeUnixNano:/],
    [requestOf(spanOf({ startTimeUnixNano: '9'.repeat(10_000) })), /^startTimeUnixNano:/],
    [requestOf(spanOf({ attributes: 'x' })), /^attributes:/],
    [requestOf(spanOf({ attributes: [{ key: 'a', value: { arrayValue: { values: 1 } } }] })), /^values:/],
    [requestOf(spanOf({ status: [] })), /^status:/],
  ] as const)
    assert.throws(
      () => readJsonTraces(value, now),
      (error) => error instanceof OtlpMalformed && message.test(error.message),
    )
  assert.deepEqual(readJsonTraces({}, now).spans, [])
})
