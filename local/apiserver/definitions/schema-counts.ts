import { isObject, stringOf, stringsOf } from '../json/json-value.ts'
import type { RawSchema } from './schema-paths.ts'

/** Largest body of a request: bounds lists and maps without a declared limit. */
const MAX_BODY = 3 * 1024 * 1024

/** The largest number of items of a list or of entries of a map. */
export function largestCount(schema: RawSchema): number {
  const { items, additionalProperties, maxItems, maxProperties } = schema
  const limit = schema['type'] === 'array' ? maxItems : maxProperties
  if (typeof limit === 'number') return Math.max(0, limit)
  if (isObject(items)) return Math.floor(MAX_BODY / (smallestBytes(items) + 1))
  // An entry has a name with its quotes and a colon.
  const value = isObject(additionalProperties) ? smallestBytes(additionalProperties) : 1
  return Math.floor(MAX_BODY / (value + 5))
}

/** The smallest size of a value as JSON. */
function smallestBytes(schema: RawSchema): number {
  if (schema['nullable'] === true || isObject(schema['default'])) return 2
  switch (stringOf(schema['type'])) {
    case 'string':
      return 2 + (typeof schema['minLength'] === 'number' ? schema['minLength'] : 0)
    case 'boolean':
      return 4
    case 'object':
      return 2 + requiredBytes(schema)
    case 'array':
      return 2
    default:
      return 1
  }
}

function requiredBytes(schema: RawSchema): number {
  const { properties } = schema
  if (!isObject(properties)) return 0
  return stringsOf(schema['required']).reduce((sum, key) => {
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined
    return isObject(own) && own['default'] === undefined ? sum + key.length + 4 + smallestBytes(own) : sum
  }, 0)
}
