import { isObject, typeName } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { JsonSchema } from './json-schema.ts'
import { fieldSchema } from './structural-schema.ts'

/** The first value that does not have the type of its field, or a string that is not base64; undefined when all fit. */
export function decodeFault(value: Json | undefined, schema: JsonSchema | undefined, path = ''): string | undefined {
  if (!schema || value === null || value === undefined) return undefined
  if (schema.type === 'string' && schema.format === 'byte' && typeof value === 'string')
    return isBase64(value) ? undefined : `${path}: not base64`
  if (!fits(value, schema)) return `${path || 'body'}: expected ${schema.type}, got ${typeName(value)}`
  const children: [string, Json | undefined, JsonSchema | undefined][] = Array.isArray(value)
    ? value.map((item, i) => [`${path}[${i}]`, item, schema.items])
    : Object.entries(isObject(value) ? value : {}).map(([key, item]) => [
        path ? `${path}.${key}` : key,
        item,
        fieldSchema(schema, key),
      ])
  for (const [at, item, sub] of children) {
    const fault = decodeFault(item, sub, at)
    if (fault) return fault
  }
  return undefined
}

/** Drops empty maps and lists of a built-in object, which kube-apiserver omits (`omitempty`); a struct that was given is kept. */
export function dropEmpty(value: Json | undefined, schema: JsonSchema | undefined): void {
  if (Array.isArray(value)) value.forEach((item) => dropEmpty(item, schema?.items))
  if (!isObject(value)) return
  for (const [key, item] of Object.entries(value)) {
    const sub = fieldSchema(schema, key)
    if (!sub) continue
    dropEmpty(item, sub)
    const container = sub.type === 'array' || typeof sub.additionalProperties === 'object'
    const empty = Array.isArray(item) ? item.length === 0 : isObject(item) && Object.keys(item).length === 0
    // A nullable list has no `omitempty`.
    if (!container || !empty || sub.nullable) continue
    if (schema?.required?.includes(key)) value[key] = sub.type === 'array' ? null : item
    else delete value[key]
  }
}

function fits(value: Json, schema: JsonSchema): boolean {
  const { type } = schema
  if (type === undefined) return true
  if (type === 'array') return Array.isArray(value)
  // An object without fields is raw JSON: a ControllerRevision's data may be anything.
  if (type === 'object') return isObject(value) || (!schema.properties && !schema.additionalProperties)
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  return typeof value === type
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/=\r\n]*$/.test(text) && text.length % 4 === 0
}
