import { types } from 'pg'

const oid = {
  bytea: 17,
  int8: 20,
  json: 114,
  jsonb: 3802,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
  numeric: 1700,
} as const

const valueParsers: Readonly<Record<number, (text: string) => unknown>> = {
  [oid.bytea]: (text) => Buffer.from(text.slice(2), 'hex'),
  [oid.int8]: BigInt,
  [oid.json]: (text): unknown => JSON.parse(text),
  [oid.jsonb]: (text): unknown => JSON.parse(text),
  // Sessions run in UTC: a date is midnight UTC, and the only offset received is `+00`.
  [oid.date]: (text) => new Date(`${text}T00:00:00Z`),
  [oid.timestamp]: (text) => new Date(`${text.replace(' ', 'T')}Z`),
  [oid.timestamptz]: (text) => new Date(text.replace(' ', 'T').replace(/\+00$/, 'Z')),
  [oid.interval]: (text) => text,
  [oid.numeric]: (text) => text,
}

/** Returns the parser of a type (by object id) from text to a JavaScript value, identical for PostgreSQL and PGlite. */
export function parserOf(id: number): (text: string) => unknown {
  return valueParsers[id] ?? (types.getTypeParser(id) as (text: string) => unknown)
}

/** Converts a parameter to what the protocol sends: text, bytes, or null. Dates are RFC 3339 UTC in any time zone. */
export function toWireValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return `{${value.map(toArrayElement).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toArrayElement(value: unknown): string {
  const wire = toWireValue(value)
  if (wire === null) return 'NULL'
  if (Array.isArray(value)) return String(wire)
  if (typeof wire !== 'string') return `\\\\x${wire.toString('hex')}`
  return `"${wire.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`
}
