import { readFileSync } from 'node:fs'
import { isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { JsonSchema } from './json-schema.ts'

interface Table {
  readonly kinds: { readonly [groupKind: string]: string }
  readonly components: { readonly [name: string]: JsonSchema }
}

/** Components of the built-in kinds by OpenAPI name (references as `$ref: <name>`), and the component of each `group/Kind`. */
export function builtinTable(): Table {
  return (table ??= readTable())
}

/** Components that hold any JSON: field ownership, and the data of a ControllerRevision. */
const OPEN = /\.(FieldsV1|RawExtension)$/

/** Fields without `omitempty`, which are null when absent: the rules of a role, and times. */
const NULLABLE = [
  'rules',
  'firstTimestamp',
  'lastTimestamp',
  'eventTime',
  'lastProbeTime',
  'lastTransitionTime',
  'lastUpdateTime',
]

let table: Table | undefined
const resolved = new Map<string, JsonSchema>()

/** Structural schema of a built-in kind with every reference resolved; sub-schemas are shared and must not be changed. */
export function builtinSchema(group: string, kind: string): JsonSchema | undefined {
  const name = builtinTable().kinds[`${group}/${kind}`]
  return name === undefined ? undefined : builtinComponent(name)
}

/** A component by its OpenAPI name, every reference resolved. */
export function builtinComponent(name: string): JsonSchema {
  const known = resolved.get(name)
  if (known) return known
  const found = builtinTable().components[name]
  if (!found) throw new Error(`built-in-schemas.json has no component ${name}`)
  const schema: JsonSchema = {}
  resolved.set(name, schema)
  Object.assign(schema, resolve(found as Json), { 'x-go-type': name.slice(name.lastIndexOf('.') + 1) })
  if (OPEN.test(name)) schema['x-kubernetes-preserve-unknown-fields'] = true
  if (name.endsWith('.RawExtension')) schema['x-kubernetes-map-type'] = 'atomic'
  for (const key of NULLABLE) {
    const field = schema.properties?.[key]
    if (field) schema.properties = { ...schema.properties, [key]: { ...field, nullable: true } }
  }
  return schema
}

function resolve(node: Json): Json {
  if (Array.isArray(node)) return node.map(resolve)
  if (!isObject(node)) return node
  if (typeof node['$ref'] === 'string') {
    const target = builtinComponent(node['$ref']) as Json
    return node['default'] === undefined || !isObject(target) ? target : { ...target, 'x-go-struct': true }
  }
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(node)) out[key] = value === undefined ? undefined : resolve(value)
  return out
}

function readTable(): Table {
  return JSON.parse(readFileSync(new URL('./built-in-schemas.json', import.meta.url), 'utf8'))
}
