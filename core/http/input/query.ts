import type { TSchema } from 'typebox'
import { didYouMean } from '#schemas/values/nearest.ts'
import { isStorable, isStorableTime } from '#schemas/values/storable-text.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { FieldError } from '#core/errors/domain-error.ts'
import { checkOf } from '#core/validation/validate.ts'

/** Reads a query string by a schema: every parameter must be known, single-valued and valid (K7). Throws `invalid_query`. */
export type QueryReader = (url: string) => Readonly<Record<string, unknown>>

// Far above any legitimate query; limits the work for a hostile one.
const MAX_PAIRS = 64

/** Creates a query reader. Without a schema no parameter is allowed; `additionalProperties: true` ignores unknown ones. */
export function queryReader(schema: TSchema | undefined): QueryReader {
  const properties = propertiesOf(schema)
  const check = schema === undefined ? undefined : checkOf(schema)
  const ignoresUnknown =
    schema !== undefined && 'additionalProperties' in schema && schema.additionalProperties === true
  return (url) => {
    const start = url.search(/[?#]/)
    const pairs = start < 0 || start === url.length - 1 ? [] : url.slice(start + 1).split('&')
    if (pairs.length > MAX_PAIRS) throw new Fail('invalid_query', 'The query has too many parameters.')
    const query = readPairs(pairs, properties, ignoresUnknown)
    const errors = check?.(query) ?? []
    if (errors.length > 0)
      throw refuse(errors.map(({ pointer, detail }) => ({ pointer: toQueryPointer(pointer), detail })))
    return query
  }
}

function readPairs(
  pairs: readonly string[],
  properties: ReadonlyMap<string, TSchema>,
  ignoresUnknown: boolean,
): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const pair of pairs) {
    const [key, text] = decodePair(pair)
    const schema = properties.get(key)
    const pointer = `?${key.slice(0, 128)}`
    if (schema === undefined && ignoresUnknown) continue
    if (schema === undefined)
      throw refuse([{ pointer, detail: `is not a known parameter${didYouMean(key, [...properties.keys()])}` }])
    if (Object.hasOwn(query, key)) throw refuse([{ pointer, detail: 'is given more than once' }])
    query[key] = readValue(pointer, text, schema)
  }
  return query
}

function decodePair(pair: string): readonly [string, string] {
  const cut = pair.indexOf('=')
  const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))
  try {
    return cut < 0 ? [decode(pair), ''] : [decode(pair.slice(0, cut)), decode(pair.slice(cut + 1))]
  } catch {
    throw new Fail('invalid_query', 'The query is not percent-encoded UTF-8.')
  }
}

type ValueCode = 'invalid_query' | 'malformed_request'

/** Parses a parameter exactly by the type in its schema. Throws `code`: `invalid_query` of a query, `malformed_request` of a path. */
export function readValue(pointer: string, text: string, schema: TSchema, code: ValueCode = 'invalid_query'): unknown {
  const type = 'type' in schema ? schema.type : undefined
  if (type === 'integer') {
    if (!/^-?(?:0|[1-9][0-9]{0,15})$/.test(text)) throw refuse([{ pointer, detail: 'must be an integer' }], code)
    return Number(text)
  }
  if (type === 'number') {
    if (!/^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,15})?$/.test(text))
      throw refuse([{ pointer, detail: 'must be a number' }], code)
    return Number(text)
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw refuse([{ pointer, detail: 'must be true or false' }], code)
    return text === 'true'
  }
  if (!isStorable(text)) throw refuse([{ pointer, detail: 'must not contain U+0000' }], code)
  const isTime = 'format' in schema && schema.format === 'date-time'
  if (isTime && /^\d{4}-\d\d-\d\d$/.test(text) && isStorableTime(Date.parse(text)))
    throw refuse([{ pointer, detail: `must be an RFC 3339 time, such as ${text}T00:00:00Z, not a day` }], code)
  if (isTime && !isStorableTime(Date.parse(text)))
    throw refuse([{ pointer, detail: 'must be an RFC 3339 time in the years 1 to 9999' }], code)
  return text
}

function propertiesOf(schema: TSchema | undefined): ReadonlyMap<string, TSchema> {
  if (schema === undefined) return new Map()
  if (!('properties' in schema) || typeof schema.properties !== 'object' || schema.properties === null)
    throw new TypeError('the schema of a query must be an object with properties')
  return new Map(Object.entries(schema.properties as Record<string, TSchema>))
}

function toQueryPointer(pointer: string): string {
  return pointer.replace(/^\//, '?')
}

function refuse(errors: readonly FieldError[], code: ValueCode = 'invalid_query'): Fail {
  const [first] = errors
  return new Fail(code, first === undefined ? undefined : `${first.pointer.slice(1)} ${first.detail}.`, { errors })
}
