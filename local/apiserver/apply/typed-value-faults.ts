import { isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import { goValue } from '../patch/strategic-patch.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { fieldSchema, keepsUnknown } from '../schema/structural-schema.ts'
import { showPath } from './field-set.ts'
import { elementOf } from './typed-value.ts'

/** What keeps a body from being applied: fields that the schema does not declare and values of another type. */
export function typedFaults(value: Json | undefined, schema: JsonSchema | undefined, path = ''): string[] {
  if (!schema || value === null || value === undefined) return []
  const wrong = wrongType(value, schema)
  if (wrong) return [`${path}: expected ${wrong}, got ${got(value, wrong)}`]
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

/** The value as each of Go's own messages prints it. */
function got(value: Json, wanted: string): string {
  if (wanted.startsWith('numeric')) return goName(value)
  return wanted === 'map' || wanted === 'list' ? `&{${goValue(value)}}` : shown(value)
}

const GO_NAMES: { readonly [type: string]: string } = { boolean: 'bool', string: 'string' }

function goName(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  return GO_NAMES[typeof value] ?? 'map[string]interface {}'
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
  const named = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`
  return list.flatMap((item, i) => {
    const given = keys.some(
      (key) => isObject(item) && (item[key] ?? schema.items?.properties?.[key]?.default) !== undefined,
    )
    if (given) return []
    const why = `associative list with keys has an element that omits all key fields ${named} (and doesn't have default values for any key fields)`
    return [`${path}: element ${i}: ${why}`]
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
      return typeof value === 'number' ? undefined : 'numeric (int or float)'
    case 'array':
      return Array.isArray(value) ? undefined : 'list'
    case 'object':
      return isObject(value) ? undefined : 'map'
    default:
      return undefined
  }
}

function shown(value: Json): string {
  if (isObject(value)) return '&value.valueUnstructured{Value:map[string]interface {}{...}}'
  return `&value.valueUnstructured{Value:${JSON.stringify(value)}}`
}

function elementPath(item: Json, schema: JsonSchema, index: number): string {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !isObject(item)) return `[${index}]`
  return `[${keys.map((key) => `${key}=${JSON.stringify(item[key])}`).join(',')}]`
}
