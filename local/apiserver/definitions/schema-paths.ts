import { isObject, objectsOf } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/** A schema of a definition as it was written. Its values have the types of `JSONSchemaProps`. */
export type RawSchema = JsonObject

/** A schema below another one, with its path. */
export interface SubSchema {
  readonly schema: RawSchema
  readonly path: string
  readonly role: 'items' | 'property' | 'values' | 'junctor'
  /** Name of a property. */
  readonly name?: string
}

const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const

/** Schemas of the value's parts: items, properties, values of a map. */
export function partsOf(schema: RawSchema, path: string): SubSchema[] {
  const { items, properties, additionalProperties } = schema
  const parts: SubSchema[] = []
  if (isObject(additionalProperties))
    parts.push({ schema: additionalProperties, path: `${path}.additionalProperties`, role: 'values' })
  for (const [name, each] of Object.entries(isObject(properties) ? properties : {}))
    if (isObject(each)) parts.push({ schema: each, path: `${path}.properties[${name}]`, role: 'property', name })
  if (isObject(items)) parts.push({ schema: items, path: `${path}.items`, role: 'items' })
  return parts
}

/** Schemas that apply to the same value: `allOf`, `anyOf`, `oneOf`, `not`. */
export function junctorsOf(schema: RawSchema, path: string): SubSchema[] {
  const { not } = schema
  const lists = JUNCTORS.flatMap((key) =>
    objectsOf(schema[key]).map((each, i): SubSchema => ({
      schema: each,
      path: `${path}.${key}[${i}]`,
      role: 'junctor',
    })),
  )
  return isObject(not) ? [{ schema: not, path: `${path}.not`, role: 'junctor' }, ...lists] : lists
}

/** True for a value that Go's decoder treats as set: not the zero value of its type. */
export const isSet = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0)
