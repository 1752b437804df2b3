import { tooLarge } from '../json/api-error.ts'
import { equalityKey, isObject, setKey } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { JsonSchema } from './json-schema.ts'

/** The schema of a field: a property, or the value of a map; undefined when it is unknown there. */
export function fieldSchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  if (!schema) return undefined
  if (schema.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key]
  const values = schema.additionalProperties
  return typeof values === 'object' ? values : undefined
}

/** True if undeclared fields are kept: an open object, or one without declared fields. */
export function keepsUnknown(schema: JsonSchema | undefined): boolean {
  return (
    schema === undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema.additionalProperties === true
  )
}

const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Removes unknown fields in place; with `found` it collects their paths and removes nothing. */
export function pruneUnknown(
  value: Json | undefined,
  schema: JsonSchema | undefined,
  at: { path: string; found?: string[]; root: boolean },
): void {
  const { path, found, root } = at
  if (Array.isArray(value)) {
    value.forEach((item, i) =>
      pruneUnknown(item, schema?.items, { path: `${path}[${i}]`, ...(found ? { found } : {}), root: false }),
    )
    return
  }
  if (!isObject(value)) return
  const embedded = root || schema?.['x-kubernetes-embedded-resource'] === true
  for (const key of Object.keys(value)) {
    const child = path ? `${path}.${key}` : key
    const sub = fieldSchema(schema, key)
    if (sub) pruneUnknown(value[key], sub, { path: child, ...(found ? { found } : {}), root: false })
    else if (keepsUnknown(schema) || (embedded && META_FIELDS.has(key))) continue
    else if (found) found.push(child)
    else delete value[key]
  }
}

/** Bytes of defaults that one object may get, as JSON: twice the largest object. Items of a list multiply a default. */
const MAX_FILLED = 3 * 1024 * 1024

let filled = 0
const sizes = new WeakMap<object, number>()

/** Starts counting the bytes of defaults of one object. */
export function resetFilled(): void {
  filled = 0
}

function copyOf(value: Json): Json {
  let size = typeof value === 'string' ? value.length : 8
  if (typeof value === 'object' && value !== null) {
    size = sizes.get(value) ?? JSON.stringify(value).length
    sizes.set(value, size)
  }
  filled += size
  if (filled > MAX_FILLED) throw tooLarge(MAX_FILLED)
  return structuredClone(value)
}

/** Fills defaults in place. Drops nulls of fields that are not nullable and have no default, unless `keepNulls` is set. */
export function fillDefaults(value: Json | undefined, schema: JsonSchema | undefined, keepNulls: boolean): void {
  if (!schema) return
  if (Array.isArray(value)) {
    value.forEach((item, i) => {
      if (item === null && schema.items?.default !== undefined && !schema.items.nullable)
        value[i] = copyOf(schema.items.default)
      fillDefaults(value[i], schema.items, keepNulls)
    })
  }
  if (!isObject(value)) return
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const present = Object.hasOwn(value, key) && value[key] !== undefined
    const nothing = present && value[key] === null && !property.nullable
    if (property.default !== undefined && (!present || nothing)) setKey(value, key, copyOf(property.default))
    else if (nothing && property.type !== undefined && !keepNulls) delete value[key]
  }
  for (const key of Object.keys(value)) fillDefaults(value[key], fieldSchema(schema, key), keepNulls)
}

/** The item of the old associative list with the same keys; undefined for other lists. */
export function correlated(schema: JsonSchema, old: Json | undefined, item: Json): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old) || !isObject(item)) return undefined
  let places = oldItems.get(old)
  if (!places) oldItems.set(old, (places = byKeys(old, keys)))
  return places.get(equalityKey(keysOf(item, keys)))
}

/** Items of an old list by their keys, computed once for all items of the new list. */
const oldItems = new WeakMap<Json[], Map<string, JsonObject>>()

function byKeys(list: Json[], keys: readonly string[]): Map<string, JsonObject> {
  const items = new Map<string, JsonObject>()
  for (const item of list) {
    if (!isObject(item)) continue
    const text = equalityKey(keysOf(item, keys))
    if (!items.has(text)) items.set(text, item)
  }
  return items
}

/** Keys of an associative list item as an object. */
export function keysOf(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]))
}
