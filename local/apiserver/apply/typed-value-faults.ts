import { isObject, typeName } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { fieldSchema, keepsUnknown } from '../schema/structural-schema.ts'
import { showPath } from './field-set.ts'
import { elementOf } from './typed-value.ts'

/** Reasons why a body cannot be applied: undeclared fields and values of another type. */
export function typedFaults(value: Json | undefined, schema: JsonSchema | undefined, path = ''): string[] {
  if (!schema || value === null || value === undefined) return []
  const wrong = wrongType(value, schema)
  if (wrong) return [`${path}: expected ${wrong}, got ${typeName(value)}`]
  if (Array.isArray(value)) {
    const items = value.flatMap((item, i) => typedFaults(item, schema.items, path + elementPath(item, schema, i)))
    return [...keyless(value, schema, path), ...repeated(value, schema, path), ...items]
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const sub = fieldSchema(schema, key)
    if (sub) return typedFaults(item, sub, `${path}.${key}`)
    return keepsUnknown(schema) || !schema.properties ? [] : [`${path}.${key}: field not declared in schema`]
  })
}

function repeated(list: Json[], schema: JsonSchema, path: string): string[] {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return []
  const seen = new Set<string>()
  const elements = list.map((item) => showPath([elementOf(item, schema)]))
  const twice = new Set(elements.filter((element) => seen.size === seen.add(element).size))
  return [...twice].map((element) => `${path}: duplicate entries for key ${element}`)
}

function keyless(list: Json[], schema: JsonSchema, path: string): string[] {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys) return []
  return list.flatMap((item, i) => {
    const given = keys.some(
      (key) => isObject(item) && (item[key] ?? schema.items?.properties?.[key]?.default) !== undefined,
    )
    if (given) return []
    return [`${path}: element ${i} has none of the keys ${keys.join(', ')}`]
  })
}

function wrongType(value: Json, schema: JsonSchema): string | undefined {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? undefined : 'string'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'boolean'
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : 'number'
    case 'array':
      return Array.isArray(value) ? undefined : 'list'
    case 'object':
      return isObject(value) ? undefined : 'map'
    default:
      return undefined
  }
}

function elementPath(item: Json, schema: JsonSchema, index: number): string {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !isObject(item)) return `[${index}]`
  return `[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`
}
