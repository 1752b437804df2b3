import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { createSpanCollector, boundText, toAttributeMap } from './raw-span.ts'
import type { RawAttributes, RawSpan } from './raw-span.ts'
import { OtlpMalformed, spanBounds } from './span.ts'
import type { OtlpValue, ReceivedSpans, SpanOrigin } from './span.ts'

/**
 * Reads an ExportTraceServiceRequest of opentelemetry-proto. Unknown fields are skipped; what exceeds the bounds of a span is skipped without
 * being decoded. Throws `OtlpMalformed` for bytes that are no message; spans with wrong ids or times are counted as rejected.
 */
export function readProtobufTraces(bytes: Uint8Array, now: number): ReceivedSpans {
  const collector = createSpanCollector(now)
  try {
    for (const group of listOf(bytes, 1)) readGroup(group, collector)
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
function readGroup(bytes: Uint8Array, collector: Collector): void {
  let resource = {}
  for (const message of listOf(bytes, 1)) resource = toAttributeMap(readAttributes(listOf(message, 1)).kept)
  for (const scoped of listOf(bytes, 2)) {
    let scope = ''
    for (const message of listOf(scoped, 1))
      for (const name of listOf(message, 1)) scope = textOf(name, spanBounds.name)
    const origin: SpanOrigin = { resource, scope }
    for (const span of listOf(scoped, 2)) collector.add(origin, readSpan(span))
  }
}

function readSpan(bytes: Uint8Array): RawSpan {
  const span = { traceId: '', spanId: '', parentSpanId: '', name: '', kind: 0, startedAt: 0n, endedAt: 0n, dropped: 0 }
  let status: Status = { statusCode: 0, statusMessage: '' }
  const [attributes, events, links]: readonly Uint8Array[][] = [[], [], []]
  eachField(bytes, (field, wire, reader) => {
    if (wire === WireType.LengthDelimited) {
      const value = reader.bytes()
      if (field === 1) span.traceId = toHex(value)
      else if (field === 2) span.spanId = toHex(value)
      else if (field === 4) span.parentSpanId = toHex(value)
      else if (field === 5) span.name = textOf(value, spanBounds.name)
      else if (field === 9) attributes?.push(value)
      else if (field === 11) events?.push(value)
      else if (field === 13) links?.push(value)
      else if (field === 15) status = readStatus(value)
      return true
    }
    if (wire === WireType.Bit64 && field === 7) span.startedAt = BigInt(reader.fixed64())
    else if (wire === WireType.Bit64 && field === 8) span.endedAt = BigInt(reader.fixed64())
    else if (wire === WireType.Varint && field === 6) span.kind = reader.uint32()
    else if (wire === WireType.Varint && (field === 10 || field === 12 || field === 14)) span.dropped += reader.uint32()
    else return false
    return true
  })
  const own = readAttributes(attributes ?? [])
  const [someEvents = [], someLinks = []] = [events?.slice(0, spanBounds.events), links?.slice(0, spanBounds.links)]
  const left = (events?.length ?? 0) - someEvents.length + (links?.length ?? 0) - someLinks.length
  return {
    ...span,
    ...status,
    attributes: own.kept,
    events: someEvents.map(readEvent),
    links: someLinks.map(readLink),
    dropped: span.dropped + own.dropped + left,
  }
}

interface Status {
  readonly statusCode: number
  readonly statusMessage: string
}

function readStatus(bytes: Uint8Array): Status {
  let [statusCode, statusMessage] = [0, '']
  eachField(bytes, (field, wire, reader) => {
    if (field === 2 && wire === WireType.LengthDelimited) statusMessage = textOf(reader.bytes(), spanBounds.text)
    else if (field === 3 && wire === WireType.Varint) statusCode = reader.uint32()
    else return false
    return true
  })
  return { statusCode, statusMessage }
}

function readEvent(bytes: Uint8Array): RawSpan['events'][number] {
  let [at, name] = [0n, '']
  eachField(bytes, (field, wire, reader) => {
    if (field === 1 && wire === WireType.Bit64) at = BigInt(reader.fixed64())
    else if (field === 2 && wire === WireType.LengthDelimited) name = textOf(reader.bytes(), spanBounds.name)
    else return false
    return true
  })
  return { at, name, attributes: readAttributes(listOf(bytes, 3), spanBounds.eventAttributes).kept }
}

function readLink(bytes: Uint8Array): RawSpan['links'][number] {
  let [traceId, spanId] = ['', '']
  for (const id of listOf(bytes, 1)) traceId = toHex(id)
  for (const id of listOf(bytes, 2)) spanId = toHex(id)
  return { traceId, spanId }
}

function readAttributes(
  given: readonly Uint8Array[],
  most: number = spanBounds.attributes,
): { readonly kept: RawAttributes; readonly dropped: number } {
  const kept = given.slice(0, most).flatMap((bytes): RawAttributes => {
    const [key, value] = readKeyValue(bytes, 0)
    return key === '' ? [] : [[key, value]]
  })
  return { kept, dropped: given.length - kept.length }
}

function readKeyValue(bytes: Uint8Array, depth: number): readonly [key: string, value: OtlpValue] {
  let key = ''
  let value: OtlpValue = null
  eachField(bytes, (field, wire, reader) => {
    if (wire !== WireType.LengthDelimited) return false
    const content = reader.bytes()
    if (field === 1) key = textOf(content, spanBounds.key)
    else if (field === 2) value = readValue(content, depth)
    return true
  })
  return [key, value]
}

function readValue(bytes: Uint8Array, depth: number): OtlpValue {
  let value: OtlpValue = null
  eachField(bytes, (field, wire, reader) => {
    if (field === 2 && wire === WireType.Varint) value = reader.bool()
    else if (field === 3 && wire === WireType.Varint) value = toInteger(reader.int64())
    else if (field === 4 && wire === WireType.Bit64) value = reader.double()
    else if (wire === WireType.LengthDelimited) value = readLong(field, reader.bytes(), depth) ?? value
    else return false
    return true
  })
  return value
}

function readLong(field: number, bytes: Uint8Array, depth: number): OtlpValue | undefined {
  if (field === 1) return textOf(bytes, spanBounds.text)
  if (field === 7) return boundText(toBuffer(bytes).toString('base64'), spanBounds.text)
  if ((field !== 5 && field !== 6) || depth >= spanBounds.depth) return undefined
  const members = listOf(bytes, 1).slice(0, spanBounds.members)
  if (field === 5) return members.map((one) => readValue(one, depth + 1))
  return toAttributeMap(members.map((one) => readKeyValue(one, depth + 1)))
}

function toInteger(value: bigint | string): number | string {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

type ReadField = (field: number, wire: WireType, reader: BinaryReader) => boolean

// A field that `read` does not take is skipped: of a newer protocol, or of another type.
function eachField(bytes: Uint8Array, read: ReadField): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag()
    if (!read(field, wire, reader)) reader.skip(wire, field)
  }
  if (reader.pos > reader.len) throw new OtlpMalformed('must be a protobuf message of OTLP')
}

/** The contents of a repeated field of messages, without copies. */
function listOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = []
  eachField(bytes, (field, wire, reader) => {
    if (wire !== WireType.LengthDelimited) return false
    const content = reader.bytes()
    if (field === wanted) found.push(content)
    return true
  })
  return found
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function toHex(bytes: Uint8Array): string {
  // A longer id is no id: it is not decoded.
  return bytes.length > 16 ? 'x' : toBuffer(bytes).toString('hex')
}

// Cut before it is decoded: a character has at most four bytes.
function textOf(bytes: Uint8Array, most: number): string {
  return boundText(toBuffer(bytes.length > most * 4 ? bytes.subarray(0, most * 4) : bytes).toString('utf8'), most)
}
