import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { readProtobufTraces, writeProtobufResponse } from './read-protobuf.ts'
import { OtlpMalformed, spanBounds } from './span.ts'
import type { OtlpSpan } from './span.ts'

const now = Date.parse('2026-11-23T20:00:00Z')
const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

type Field = readonly [number: number, value: Uint8Array | string | number | bigint | boolean]

/** A message: texts and bytes are of a length, numbers and booleans varints, bigints 64 bits. */
function message(...fields: readonly Field[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value)
    else if (typeof value === 'bigint') writer.tag(number, WireType.Bit64).fixed64(value)
    else if (value instanceof Uint8Array) writer.tag(number, WireType.LengthDelimited).bytes(value)
    else writer.tag(number, WireType.Varint).int64(Number(value))
  }
  return writer.finish()
}

const attribute = (key: string, ...value: readonly Field[]): Field => [9, message([1, key], [2, message(...value)])]
const ids: readonly Field[] = [
  [1, Buffer.from(traceId, 'hex')],
  [2, Buffer.from('00f067aa0ba902b7', 'hex')],
]
const times: readonly Field[] = [
  [7, nanos(now - 5)],
  [8, nanos(now)],
]
const span = (...fields: readonly Field[]): Uint8Array => message(...ids, [5, 'work'], ...times, ...fields)
const request = (...spans: readonly Uint8Array[]): Uint8Array =>
  message([
    1,
    message(
      // The resource after its spans.
      [2, message(...spans.map((one): Field => [2, one]), [1, message([1, 'lib'])])],
      [1, message([1, message([1, 'service.name'], [2, message([1, 'py'])])])],
    ),
  ])
const read = (bytes: Uint8Array) => readProtobufTraces(bytes, now)
const one = (...fields: readonly Field[]): OtlpSpan => {
  const [found] = read(request(span(...fields))).spans
  assert.ok(found)
  return found.span
}

test('OTLP: a protobuf request is read with all values, also in another order of fields', () => {
  const list = message([1, message([1, 'x'])], [1, message([3, 7])])
  const { spans, rejected } = read(
    request(
      span(
        [4, Buffer.from('b7ad6b7169203331', 'hex')],
        [6, 3],
        attribute('text', [1, 'a']),
        attribute('yes', [2, true]),
        attribute('int', [3, -7]),
        attribute('list', [5, list]),
        attribute('map', [6, message([1, message([1, '__proto__'], [2, message([1, 'own'])])])]),
        attribute('bytes', [7, Buffer.from('hi')]),
        [11, message([1, nanos(now)], [2, 'exception'], [3, message([1, 'k'], [2, message([1, 'v'])])])],
        [13, message([1, Buffer.from(traceId, 'hex')], [2, Buffer.from('b7ad6b7169203331', 'hex')])],
        [15, message([2, 'failed'], [3, 2])],
        [99, 'a field of a newer protocol'],
      ),
    ),
  )
  assert.equal(rejected, 0)
  const [{ origin, span: found } = assert.fail()] = spans
  assert.deepEqual(origin, { resource: { 'service.name': 'py' }, scope: 'lib' })
  assert.deepEqual(
    [found.traceId, found.parentSpanId, found.name, found.kind, found.status, found.statusMessage],
    [traceId, 'b7ad6b7169203331', 'work', 'client', 'error', 'failed'],
  )
  const { map, ...rest } = found.attributes
  assert.deepEqual(rest, { text: 'a', yes: true, int: -7, list: ['x', 7], bytes: 'aGk=' })
  assert.deepEqual(Object.keys(map as object), ['__proto__'])
  assert.deepEqual(found.events, [{ at: nanos(now), name: 'exception', attributes: { k: 'v' } }])
  assert.deepEqual(found.links, [{ traceId, spanId: 'b7ad6b7169203331' }])
})

test('F9: every truncation and every changed byte is refused or read, and nothing else is thrown', () => {
  const whole = Buffer.from(request(span(attribute('text', [1, 'a']), [15, message([3, 2])])))
  const survives = (bytes: Uint8Array): void => {
    try {
      read(bytes)
    } catch (error) {
      assert.ok(error instanceof OtlpMalformed, String(error))
    }
  }
  for (let end = 0; end < whole.length; end++) survives(whole.subarray(0, end))
  for (let at = 0; at < whole.length; at++)
    for (const value of [0, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(whole)
      changed[at] = value
      survives(changed)
    }
  for (let made = 0; made < 2000; made++) survives(randomBytes(made % 97))
  assert.throws(() => read(whole.subarray(0, -1)), OtlpMalformed)
})

test('F9: ids of a wrong length and times out of range refuse the span alone; 2^63 is no time', () => {
  const [trace = assert.fail(), own = assert.fail()] = ids
  const { rejected, reason } = read(
    request(
      message(own, ...times),
      message(trace, ...times),
      message([1, Buffer.alloc(16)], own, ...times),
      message([1, Buffer.alloc(1000, 1)], own, ...times),
      message(...ids),
      message(...ids, [7, 2n ** 63n], [8, 2n ** 63n]),
      message(...ids, [7, 2n ** 64n - 1n], [8, 0n]),
      message(...ids, [7, nanos(now - 100)], [8, nanos(now + 3_600_000)]),
    ),
  )
  assert.deepEqual([rejected, reason], [8, 'traceId: must be 16 bytes that are not all zero'])
  assert.equal(read(new Uint8Array()).rejected, 0)
})

test('F6: 10,000 attributes and values of 50 levels are bounded, and what is left out is counted', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => attribute(`k${index}`, [3, index]))
  const wide = one(...many, [10, 5])
  assert.deepEqual([Object.keys(wide.attributes).length, wide.dropped], [spanBounds.attributes, 10_000 - 128 + 5])
  const deep = Array.from({ length: 50 }).reduce<Uint8Array>(
    (value) => message([5, message([1, value])]),
    message([1, 'x']),
  )
  const nested = one([9, message([1, 'deep'], [2, deep])])
  assert.equal(JSON.stringify(nested.attributes['deep']), '[[[[null]]]]')
  const long = one(attribute('a', [1, '€'.repeat(1e6)]), [5, 'n'.repeat(1e6)])
  assert.deepEqual([String(long.attributes['a']).length, long.name.length], [spanBounds.text, spanBounds.name])
})

test('F1: bytes that are no UTF-8, and NUL, become U+FFFD', () => {
  assert.equal(one([5, Buffer.from([0x61, 0xff, 0x00, 0x62])]).name, 'a\ufffd\ufffdb')
})

test('OTLP: a response says how many spans were refused', () => {
  assert.equal(writeProtobufResponse({ rejected: 0, reason: undefined }).length, 0)
  const bytes = writeProtobufResponse({ rejected: 3, reason: 'why' })
  assert.deepEqual(Buffer.from(bytes), Buffer.from(message([1, message([1, 3], [2, 'why'])])))
})
