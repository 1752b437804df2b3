import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { ProtobufCursor } from './protobuf-cursor.ts'
import { readAttribute, readAttributes } from './read-protobuf-values.ts'
import { createSpanCollector } from './raw-span.ts'
import type { RawAttributes, RawSpan } from './raw-span.ts'
import { OtlpMalformed, spanBounds } from './span.ts'
import type { OtlpAttributes, ReceivedSpans, SpanOrigin } from './span.ts'

/**
 * Reads an ExportTraceServiceRequest of opentelemetry-proto. Unknown fields are skipped; what exceeds the bounds of a span is skipped without
 * being decoded. Throws `OtlpMalformed` for bytes that are not a message; spans with wrong ids or times are counted as rejected.
 */
export function readProtobufTraces(bytes: Uint8Array, now: number): ReceivedSpans {
  const collector = createSpanCollector(now)
  const cursor = new ProtobufCursor(bytes)
  try {
    eachMessage(cursor, bytes.length, 1, (end) => readGroup(cursor, end, collector))
  } catch (error) {
    // The reader throws plain errors, and the engine a range error for a length beyond the buffer.
    throw error instanceof OtlpMalformed ? error : new OtlpMalformed('must be a protobuf message of OTLP')
  }
  return collector.result()
}

/** An ExportTraceServiceResponse. */
export function writeProtobufResponse({ rejected, reason = '' }: Pick<ReceivedSpans, 'rejected' | 'reason'>): Buffer {
  if (rejected === 0) return Buffer.alloc(0)
  const partial = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int64(rejected)
    .tag(2, WireType.LengthDelimited)
    .string(reason)
  return Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial.finish()).finish())
}

type Collector = ReturnType<typeof createSpanCollector>

// The resource of a group, and the scope of its spans, may follow them.
function readGroup(cursor: ProtobufCursor, end: number, collector: Collector): void {
  const start = cursor.position
  let resource: OtlpAttributes = {}
  eachMessage(cursor, end, 1, (stop) => {
    resource = readAttributes(cursor, stop, 1)
  })
  cursor.moveTo(start)
  eachMessage(cursor, end, 2, (stop) => {
    const origin: SpanOrigin = { resource, scope: readScope(cursor, stop) }
    eachMessage(cursor, stop, 2, (last) => collector.add(origin, readSpan(cursor, last)))
  })
}

// Leaves the cursor where the message begins.
function readScope(cursor: ProtobufCursor, end: number): string {
  const start = cursor.position
  let scope = ''
  eachMessage(cursor, end, 1, (stop) =>
    eachMessage(cursor, stop, 1, (last) => {
      scope = cursor.text(last, spanBounds.name)
    }),
  )
  cursor.moveTo(start)
  return scope
}

/** A span while it is read. `given` counts its attributes, of which some are left out. */
type Draft = { -readonly [Key in keyof RawSpan]: RawSpan[Key] } & {
  given: number
  readonly attributes: RawAttributes[number][]
  readonly events: RawSpan['events'][number][]
  readonly links: RawSpan['links'][number][]
}

function readSpan(cursor: ProtobufCursor, end: number): RawSpan {
  const ids = { traceId: '', spanId: '', parentSpanId: '', name: '', kind: 0, startedAt: 0n, endedAt: 0n, dropped: 0 }
  const span: Draft = { ...ids, statusCode: 0, statusMessage: '', attributes: [], events: [], links: [], given: 0 }
  while (cursor.next(end)) {
    if (cursor.wire !== WireType.LengthDelimited) {
      readNumber(cursor, span)
      continue
    }
    const stop = cursor.enter(end)
    readContent(cursor, stop, span)
    cursor.moveTo(stop)
  }
  span.dropped += span.given - span.attributes.length
  return span
}

function readNumber(cursor: ProtobufCursor, span: Draft): void {
  const { field, wire, numbers } = cursor
  if (wire === WireType.Bit64 && field === 7) span.startedAt = BigInt(numbers.fixed64())
  else if (wire === WireType.Bit64 && field === 8) span.endedAt = BigInt(numbers.fixed64())
  else if (wire === WireType.Varint && field === 6) span.kind = numbers.uint32()
  else if (wire === WireType.Varint && (field === 10 || field === 12 || field === 14)) span.dropped += numbers.uint32()
  else cursor.skip()
}

function readContent(cursor: ProtobufCursor, stop: number, span: Draft): void {
  const { field } = cursor
  if (field === 1) span.traceId = cursor.hex(stop)
  else if (field === 2) span.spanId = cursor.hex(stop)
  else if (field === 4) span.parentSpanId = cursor.hex(stop)
  else if (field === 5) span.name = cursor.text(stop, spanBounds.name)
  else if (field === 9) {
    if (span.given++ < spanBounds.attributes) readAttribute(cursor, stop, span.attributes)
  } else if (field === 11) {
    if (span.events.length < spanBounds.events) span.events.push(readEvent(cursor, stop))
    else span.dropped++
  } else if (field === 13) {
    if (span.links.length < spanBounds.links) span.links.push(readLink(cursor, stop))
    else span.dropped++
  } else if (field === 15) readStatus(cursor, stop, span)
}

function readStatus(cursor: ProtobufCursor, end: number, span: Draft): void {
  span.statusCode = 0
  span.statusMessage = ''
  while (cursor.next(end)) {
    if (isContent(cursor, 2)) span.statusMessage = cursor.text(cursor.enter(end), spanBounds.text)
    else if (cursor.field === 3 && cursor.wire === WireType.Varint) span.statusCode = cursor.numbers.uint32()
    else cursor.skip()
  }
}

function readEvent(cursor: ProtobufCursor, end: number): RawSpan['events'][number] {
  let [at, name, given] = [0n, '', 0]
  const attributes: RawAttributes[number][] = []
  while (cursor.next(end)) {
    if (cursor.field === 1 && cursor.wire === WireType.Bit64) at = BigInt(cursor.numbers.fixed64())
    else if (isContent(cursor, 2)) name = cursor.text(cursor.enter(end), spanBounds.name)
    else if (isContent(cursor, 3) && given++ < spanBounds.eventAttributes)
      readAttribute(cursor, cursor.enter(end), attributes)
    else cursor.skip()
  }
  return { at, name, attributes }
}

function readLink(cursor: ProtobufCursor, end: number): RawSpan['links'][number] {
  let [traceId, spanId] = ['', '']
  while (cursor.next(end)) {
    if (isContent(cursor, 1)) traceId = cursor.hex(cursor.enter(end))
    else if (isContent(cursor, 2)) spanId = cursor.hex(cursor.enter(end))
    else cursor.skip()
  }
  return { traceId, spanId }
}

function isContent({ field, wire }: ProtobufCursor, wanted: number): boolean {
  return field === wanted && wire === WireType.LengthDelimited
}

// Calls back at the content of each field with the given number, and continues after it.
function eachMessage(cursor: ProtobufCursor, end: number, wanted: number, read: (stop: number) => void): void {
  while (cursor.next(end)) {
    if (!isContent(cursor, wanted)) {
      cursor.skip()
      continue
    }
    const stop = cursor.enter(end)
    read(stop)
    cursor.moveTo(stop)
  }
}
