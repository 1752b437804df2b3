import { isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { Cause } from '../json/status.ts'
import type { JsonSchema } from './json-schema.ts'
import { fieldSchema, keysOf } from './structural-schema.ts'
import { cause } from './validate-value.ts'

/** Duplicates in lists of type set or map: each repeated value is reported once, at its first repetition. */
export function validateListTypes(value: Json | undefined, schema: JsonSchema | undefined, path: string): Cause[] {
  if (!schema) return []
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      validateListTypes(item, fieldSchema(schema, key), path ? `${path}.${key}` : key),
    )
  }
  if (!Array.isArray(value)) return []
  const within = value.flatMap((item, i) => validateListTypes(item, schema.items, `${path}[${i}]`))
  return [...duplicates(value, schema, path), ...within]
}

function duplicates(list: Json[], schema: JsonSchema, path: string): Cause[] {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return []
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const times = new Map<string, number>()
  return list.flatMap((item, i) => {
    const shown = JSON.stringify(type === 'map' && isObject(item) ? keysOf(item, keys) : item)
    const seen = times.get(shown) ?? 0
    times.set(shown, seen + 1)
    return seen === 1 ? [cause('Duplicate', `Duplicate value: ${shown}`, `${path}[${i}]`)] : []
  })
}
