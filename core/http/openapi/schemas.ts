import { isObject } from '#core/json/is-object.ts'
import { SHOWN_AS } from '#schemas/values/shown-as.ts'

type Node = Readonly<Record<string, unknown>>

/** Component schemas of a document by name, collected while its operations are rendered. */
export type Components = Record<string, unknown>

/**
 * Converts a schema for the OpenAPI document: plain JSON Schema in forms that client generators support. A titled one becomes a component
 * and a reference. `closed` is set for bodies, which refuse unknown fields (see `closeObjects`).
 */
export function toDocumentSchema(schema: unknown, components: Components, { closed = false } = {}): unknown {
  if (!isObject(schema) || '$ref' in schema) return schema
  const shown = schema[SHOWN_AS]
  if (shown !== undefined) return toDocumentSchema(shown, components, { closed })
  const { title } = schema
  // A component is shared by bodies and responses, so only its own declaration closes it.
  const isClosed = closed && typeof title !== 'string'
  const inner = (value: unknown): unknown => toDocumentSchema(value, components, { closed: isClosed })
  const written = closeIf(isClosed, simplify(withKeywords(schema, inner)))
  if (typeof title !== 'string') return written
  const name = nameFor(title.replaceAll(/[^A-Za-z0-9._-]/g, ''), written, components)
  components[name] = written
  return { $ref: `#/components/schemas/${name}` }
}

const dropped = /^(?:x-kubernetes-|x-mesh-|~|\$id$|contentMediaType$)/
const single = new Set(['items', 'additionalProperties', 'propertyNames', 'not'])
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])

function withKeywords(schema: Node, inner: (value: unknown) => unknown): Record<string, unknown> {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.test(key)) return []
    if (key === 'properties' && isObject(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inner(field)]))]]
    if (key === 'patternProperties' && isObject(value)) return toRecord(value, inner)
    if (key === 'additionalProperties' && 'patternProperties' in schema) return []
    if (lists.has(key) && Array.isArray(value)) return [[key, value.map(inner)]]
    return [[key, single.has(key) ? inner(value) : value]]
  })
  return Object.fromEntries(entries)
}

// Generators read maps as additionalProperties; the pattern of the keys is kept beside it.
function toRecord(patterns: Node, inner: (value: unknown) => unknown): [string, unknown][] {
  const [[pattern, value] = ['', {}]] = Object.entries(patterns)
  const names: [string, unknown][] = pattern === '^.*$' ? [] : [['propertyNames', { pattern }]]
  return [['additionalProperties', inner(value)], ...names]
}

// A union of literals becomes an enum, and `null` beside one simple type a second type.
function simplify(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return explicit(schema)
  const values = anyOf.filter((one) => !isNull(one))
  const value: unknown = values.length > 1 && values.every(isText) ? toEnum(values) : values[0]
  if (!isObject(value) || (values.length > 1 && !('enum' in value))) return schema
  if (values.length === anyOf.length) return { ...value, ...rest }
  const isSimple = typeof value.type === 'string' && !('enum' in value) && !('const' in value)
  return isSimple ? { ...value, type: [value.type, 'null'], ...rest } : { ...rest, anyOf: [value, { type: 'null' }] }
}

// Explicit, since some generators treat a bare object as one without fields.
function explicit(schema: Record<string, unknown>): Record<string, unknown> {
  if (schema.type === 'object' && !('properties' in schema) && !('additionalProperties' in schema))
    return { ...schema, additionalProperties: true }
  // Typed clients would treat the number as a float.
  if (schema.type === 'number' && Number.isInteger(schema.const)) return { ...schema, type: 'integer' }
  const isTexts = Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string')
  return isTexts ? { type: 'string', ...schema } : schema
}

function toEnum(values: readonly Node[]): Node {
  return { type: 'string', enum: values.map((value) => value.const) }
}

function isText(value: unknown): value is Node {
  return isObject(value) && typeof value.const === 'string'
}

function isNull(value: unknown): boolean {
  return isObject(value) && value.type === 'null'
}

function closeIf(closed: boolean, schema: Record<string, unknown>): Record<string, unknown> {
  const closes = closed && 'properties' in schema && !('additionalProperties' in schema)
  return closes ? { ...schema, additionalProperties: false } : schema
}

// Third-party plugins may use an existing title: different schemas become different components.
function nameFor(title: string, schema: object, components: Components): string {
  const text = JSON.stringify(schema)
  for (let count = 1; ; count++) {
    const name = count === 1 ? title : `${title}${count}`
    if (!(name in components) || JSON.stringify(components[name]) === text) return name
  }
}
