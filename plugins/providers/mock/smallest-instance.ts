import { isObject } from '#core/json/is-object.ts'
import { shortestMatch } from './shortest-match.ts'

type Schema = Readonly<Record<string, unknown>>

const maxDepth = 32

/**
 * The smallest valid instance of a JSON schema (2020-12, as far as model APIs use it): required properties only, the first allowed value, minimum
 * lengths and counts, `$ref` within the document. The result is deterministic.
 */
export function smallestInstance(schema: unknown): unknown {
  return instanceOf(schema, schema, 0)
}

function instanceOf(given: unknown, root: unknown, depth: number): unknown {
  if (!isObject(given) || depth > maxDepth) return null
  const schema = resolve(given, root, depth)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const choice = [schema.anyOf, schema.oneOf].find((options) => Array.isArray(options) && options.length > 0)
  if (Array.isArray(choice)) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema
    return instanceOf({ ...rest, ...(isObject(choice[0]) ? resolve(choice[0], root, depth) : {}) }, root, depth + 1)
  }
  return ofType(typeOf(schema), schema, { root, depth: depth + 1 })
}

interface Place {
  readonly root: unknown
  readonly depth: number
}

function ofType(type: string, schema: Schema, place: Place): unknown {
  if (type === 'object') return object(schema, place)
  if (type === 'array') return array(schema, place)
  if (type === 'string') return text(schema)
  if (type === 'integer' || type === 'number') return number(schema, type === 'integer')
  return type === 'boolean' ? false : null
}

function typeOf(schema: Schema): string {
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (typeof type === 'string') return type
  if ('properties' in schema || 'required' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  if ('minimum' in schema || 'exclusiveMinimum' in schema || 'multipleOf' in schema) return 'number'
  return 'pattern' in schema || 'minLength' in schema || 'format' in schema ? 'string' : 'null'
}

// A reference is replaced by its target, `allOf` by the union of its parts.
function resolve(schema: Schema, root: unknown, depth: number): Schema {
  if (depth > maxDepth) return {}
  const { $ref, allOf, ...own } = schema
  const target = typeof $ref === 'string' ? lookUp($ref, root) : undefined
  const parts = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isObject)
  return parts.map((part) => resolve(part, root, depth + 1)).reduce(merge, own)
}

function merge(a: Schema, b: Schema): Schema {
  const both = (name: string): Schema => ({
    ...(isObject(a[name]) ? a[name] : {}),
    ...(isObject(b[name]) ? b[name] : {}),
  })
  const required = [...list(a.required), ...list(b.required)]
  const merged = { ...b, ...a }
  if ('properties' in merged) merged.properties = both('properties')
  if (required.length > 0) merged.required = [...new Set(required)]
  return merged
}

function lookUp(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  const parts = reference.slice(1).split('/').slice(1)
  return parts.reduce<unknown>((value, part) => {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    return isObject(value) ? value[key] : undefined
  }, root)
}

function object(schema: Schema, { root, depth }: Place): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const names = list(schema.required).filter((name) => typeof name === 'string')
  const least = typeof schema.minProperties === 'number' ? schema.minProperties : 0
  const optional = Object.keys(properties).filter((name) => !names.includes(name))
  const wanted = [...names, ...optional.slice(0, Math.max(least - names.length, 0))]
  const filled = wanted.map((name) => [name, instanceOf(properties[name] ?? schema.additionalProperties, root, depth)])
  return Object.fromEntries(filled)
}

function array(schema: Schema, { root, depth }: Place): unknown {
  const prefix = list(schema.prefixItems)
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  return Array.from({ length: Math.min(least, 1000) }, (_, index) =>
    instanceOf(prefix[index] ?? schema.items, root, depth),
  )
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '1970-01-01T00:00:00Z',
  date: '1970-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'a@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function text(schema: Schema): string {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  const format = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (format !== undefined) return format
  if (typeof schema.pattern === 'string') {
    for (let repeat = 0; repeat <= Math.min(least, 256); repeat++) {
      const found = shortestMatch(schema.pattern, repeat)
      if (found !== undefined && found.length >= least) return found
    }
  }
  return 'a'.repeat(Math.min(least, 100_000))
}

function number(schema: Schema, whole: boolean): number {
  const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : whole ? 1 : undefined
  const above = typeof schema.exclusiveMinimum === 'number' ? schema.exclusiveMinimum : undefined
  const least = typeof schema.minimum === 'number' ? schema.minimum : above
  const most = typeof schema.maximum === 'number' ? schema.maximum : schema.exclusiveMaximum
  if (least === undefined) return typeof most === 'number' && most <= 0 ? atMost(most, step ?? 1) : 0
  const first = step === undefined ? least : Math.ceil(least / step) * step
  return above !== undefined && first <= above ? first + (step ?? 1) : first
}

function atMost(most: number, step: number): number {
  return Math.floor((most - step) / step) * step
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
