import { asObject } from '#core/json/is-object.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'
import { findReferred } from './local-reference.ts'

/** A value and the schema that has a keyword. */
interface Whole {
  readonly value: unknown
  readonly schema: Readonly<Record<string, unknown>>
  readonly root: unknown
}

/** A part of a value with its own schema. The pointer is relative to the whole. */
export interface SchemaPart {
  readonly pointer: string
  readonly value: unknown
  readonly schema: unknown
}

/** Parts of a value that a keyword judges one by one. Undefined: it judges the value as one. */
export function schemaParts(name: string, whole: Whole): Iterable<SchemaPart> | undefined {
  const { value, schema, root } = whole
  const given = schema[name]
  if (name === '$ref') return [{ pointer: '', value, schema: findReferred(root, String(given)) }]
  if (name === 'allOf') return listOf(given).map((by) => ({ pointer: '', value, schema: by }))
  if (name === 'properties') return fieldsOf(asObject(value), Object.entries(asObject(given)))
  if (name === 'additionalProperties' && given !== false) return additionalOf(whole)
  if (name === 'prefixItems' || (name === 'items' && Array.isArray(given)))
    return itemsOf(listOf(value).slice(0, listOf(given).length), (index) => listOf(given)[index])
  if (name === 'items') return itemsOf(listOf(value), () => given, listOf(schema['prefixItems']).length)
  return undefined
}

/** Names of the fields of a value that its schema does not declare. */
export function additionalFields(schema: Whole['schema'], value: unknown): readonly string[] {
  const known = asObject(schema['properties'])
  return Object.keys(asObject(value)).filter((name) => !Object.hasOwn(known, name))
}

function additionalOf({ value, schema }: Whole): Iterable<SchemaPart> {
  const by = schema['additionalProperties']
  return fieldsOf(
    asObject(value),
    additionalFields(schema, value).map((name) => [name, by]),
  )
}

function* fieldsOf(value: Readonly<Record<string, unknown>>, schemas: readonly (readonly [string, unknown])[]) {
  for (const [name, schema] of schemas)
    if (Object.hasOwn(value, name)) yield { pointer: `/${pointerToken(name)}`, value: value[name], schema }
}

function* itemsOf(items: readonly unknown[], schemaOf: (index: number) => unknown, from = 0) {
  for (let index = from; index < items.length; index += 1)
    yield { pointer: `/${index}`, value: items[index], schema: schemaOf(index) }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
