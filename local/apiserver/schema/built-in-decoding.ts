import { goJsonType, isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { JsonSchema } from './json-schema.ts'
import { fieldSchema } from './structural-schema.ts'

const SCALARS: { readonly [type: string]: string } = {
  string: 'string',
  boolean: 'bool',
  integer: 'int32',
  number: 'float64',
}

/** Why Go could not decode a built-in kind's body: the first value of another type, or bytes that are not base64. */
export function decodeFault(
  value: Json | undefined,
  schema: JsonSchema | undefined,
  at: { kind: string; path: string },
): string | undefined {
  if (!schema || value === null || value === undefined) return undefined
  if (schema.type === 'string' && schema.format === 'byte' && typeof value === 'string') return base64Fault(value)
  const wanted = goType(schema)
  if (wanted !== undefined && !fits(value, schema)) {
    return `json: cannot unmarshal ${goJsonType(value)} into Go struct field ${at.kind}.${at.path} of type ${wanted}`
  }
  const children: [string, Json | undefined, JsonSchema | undefined][] = Array.isArray(value)
    ? value.map((item) => [at.path, item, schema.items])
    : Object.entries(isObject(value) ? value : {}).map(([key, item]) => [
        schema.properties ? `${at.path ? `${at.path}.` : ''}${key}` : at.path,
        item,
        fieldSchema(schema, key),
      ])
  const struct = schema.properties ? (schema['x-go-type'] ?? at.kind) : at.kind
  for (const [path, item, sub] of children) {
    const fault = decodeFault(item, sub, { kind: struct, path })
    if (fault) return fault
  }
  return undefined
}

/** Drops the empty maps and lists that Go leaves out of a built-in object; a struct that was given stays. */
export function dropEmpty(value: Json | undefined, schema: JsonSchema | undefined): void {
  if (Array.isArray(value)) value.forEach((item) => dropEmpty(item, schema?.items))
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    const sub = fieldSchema(schema, key)
    if (!sub) continue
    dropEmpty(item, sub)
    const container = sub.type === 'array' || typeof sub.additionalProperties === 'object'
    const empty = Array.isArray(item) ? item.length === 0 : isObject(item) && Object.keys(item).length === 0
    // A nullable list is one that Go never leaves out.
    if (!container || !empty || sub.nullable) continue
    if (schema?.required?.includes(key)) value[key] = sub.type === 'array' ? null : item
    else delete value[key]
  }
}

function fits(value: Json, schema: JsonSchema): boolean {
  if (schema.type === 'array') return Array.isArray(value)
  if (schema.type === 'object') return isObject(value)
  if (schema.type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  return typeof value === schema.type
}

function goType(schema: JsonSchema): string | undefined {
  const { type, format, additionalProperties: values } = schema
  // An object of no known shape is raw JSON there: it may be anything.
  if (type === undefined || (type === 'object' && !schema.properties && !values)) return undefined
  if (type === 'integer' && format === 'int64') return 'int64'
  if (type === 'array') return `[]${(schema.items && goType(schema.items)) ?? 'string'}`
  if (type === 'object') return typeof values === 'object' ? `map[string]${goType(values) ?? 'string'}` : 'struct'
  return SCALARS[type]
}

function base64Fault(text: string): string | undefined {
  const bad = text.search(/[^A-Za-z0-9+/=\r\n]/)
  if (bad >= 0) return `illegal base64 data at input byte ${bad}`
  return text.length % 4 === 0 ? undefined : `illegal base64 data at input byte ${text.length - (text.length % 4)}`
}
