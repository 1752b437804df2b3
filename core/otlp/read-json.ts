import { isObject } from '#core/json/is-object.ts'
import { createSpanCollector, boundText, toAttributeMap } from './raw-span.ts'
import type { RawAttributes, RawSpan } from './raw-span.ts'
import { OtlpMalformed, spanBounds } from './span.ts'
import type { OtlpValue, ReceivedSpans, SpanOrigin } from './span.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads an ExportTraceServiceRequest in the JSON encoding of OTLP. Unknown fields are ignored, and null is an absent field. Throws
 * `OtlpMalformed` for a value that is not such a request; spans with wrong ids or times are counted as rejected.
 */
export function readJsonTraces(value: unknown, now: number): ReceivedSpans {
  if (!isObject(value)) throw new OtlpMalformed('must be an object')
  const collector = createSpanCollector(now)
  for (const group of listOf(value, 'resourceSpans')) {
    const resource = toAttributeMap(readAttributes(objectOf(group, 'resource'), spanBounds.attributes).kept)
    for (const scoped of listOf(group, 'scopeSpans')) {
      const scope = boundText(textOf(objectOf(scoped, 'scope'), 'name'), spanBounds.name)
      const origin: SpanOrigin = { resource, scope }
      for (const span of listOf(scoped, 'spans')) collector.add(origin, toRaw(span))
    }
  }
  return collector.result()
}

function toRaw(span: Fields): RawSpan {
  const attributes = readAttributes(span, spanBounds.attributes)
  const [events, links] = [listOf(span, 'events'), listOf(span, 'links')]
  const status = objectOf(span, 'status')
  return {
    traceId: textOf(span, 'traceId').toLowerCase(),
    spanId: textOf(span, 'spanId').toLowerCase(),
    parentSpanId: textOf(span, 'parentSpanId').toLowerCase(),
    name: textOf(span, 'name'),
    kind: enumOf(span.kind, 'SPAN_KIND_', kindNames),
    startedAt: timeOf(span, 'startTimeUnixNano'),
    endedAt: timeOf(span, 'endTimeUnixNano'),
    statusCode: enumOf(status.code, 'STATUS_CODE_', statusNames),
    statusMessage: textOf(status, 'message'),
    attributes: attributes.kept,
    events: events.slice(0, spanBounds.events).map((event) => ({
      name: textOf(event, 'name'),
      at: timeOf(event, 'timeUnixNano'),
      attributes: readAttributes(event, spanBounds.eventAttributes).kept,
    })),
    links: links.slice(0, spanBounds.links).map((link) => ({
      traceId: textOf(link, 'traceId').toLowerCase(),
      spanId: textOf(link, 'spanId').toLowerCase(),
    })),
    dropped:
      attributes.dropped +
      Math.max(events.length - spanBounds.events, 0) +
      Math.max(links.length - spanBounds.links, 0) +
      countOf(span.droppedAttributesCount) +
      countOf(span.droppedEventsCount) +
      countOf(span.droppedLinksCount),
  }
}

const kindNames = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const statusNames = ['UNSET', 'OK', 'ERROR']

function readAttributes(from: Fields, most: number): { readonly kept: RawAttributes; readonly dropped: number } {
  const given = listOf(from, 'attributes')
  const kept = given.slice(0, most).flatMap((entry): RawAttributes => {
    const key = textOf(entry, 'key')
    return key === '' ? [] : [[boundText(key, spanBounds.key), toValue(objectOf(entry, 'value'), 0)]]
  })
  return { kept, dropped: given.length - kept.length }
}

function toValue(value: Fields, depth: number): OtlpValue {
  const { stringValue, boolValue, intValue, doubleValue, bytesValue } = value
  if (typeof stringValue === 'string') return boundText(stringValue, spanBounds.text)
  if (typeof boolValue === 'boolean') return boolValue
  if (typeof intValue === 'string' || typeof intValue === 'number') return toInteger(String(intValue))
  if (typeof doubleValue === 'number') return doubleValue
  if (typeof doubleValue === 'string') return boundText(doubleValue, 32)
  if (typeof bytesValue === 'string') return boundText(bytesValue, spanBounds.text)
  if (depth >= spanBounds.depth) return null
  if (isObject(value.arrayValue))
    return listOf(value.arrayValue, 'values')
      .slice(0, spanBounds.members)
      .map((one) => toValue(one, depth + 1))
  if (isObject(value.kvlistValue))
    return toAttributeMap(
      listOf(value.kvlistValue, 'values')
        .slice(0, spanBounds.members)
        .map((one) => [boundText(textOf(one, 'key'), spanBounds.key), toValue(objectOf(one, 'value'), depth + 1)]),
    )
  return null
}

function toInteger(text: string): number | string | null {
  if (!/^-?\d{1,19}$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

function timeOf(from: Fields, name: string): bigint {
  const value = from[name] ?? 0
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (!/^\d{1,20}$/.test(text)) throw new OtlpMalformed(`${name}: must be a number of nanoseconds`)
  return BigInt(text)
}

function enumOf(value: unknown, prefix: string, names: readonly string[]): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.startsWith(prefix) ? names.indexOf(value.slice(prefix.length)) : 0
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, 2 ** 31) : 0
}

function listOf(from: Fields, name: string): readonly Fields[] {
  const value = from[name] ?? []
  if (Array.isArray(value) && value.every(isObject)) return value
  throw new OtlpMalformed(`${name}: must be a list of objects`)
}

function objectOf(from: Fields, name: string): Fields {
  const value = from[name] ?? {}
  if (isObject(value)) return value
  throw new OtlpMalformed(`${name}: must be an object`)
}

function textOf(from: Fields, name: string): string {
  const value = from[name] ?? ''
  if (typeof value === 'string') return value
  throw new OtlpMalformed(`${name}: must be a string`)
}
