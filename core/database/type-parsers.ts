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

/** JavaScript values of a type (by object id), identical for `pg` and PGlite. */
export const valueParsers: Readonly<Record<number, (text: string) => unknown>> = {
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

/** Converts a parameter for both adapters: dates as RFC 3339 UTC, independent of the process's time zone. */
export function toParameter(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}
