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

/** Components that hold any JSON: field ownership, the data of a ControllerRevision, defaults in a definition. */
const OPEN = /\.(FieldsV1|RawExtension|JSON)$/

/** Components that hold a JSON schema or another value, such as a boolean. */
const OR_SCHEMA = ['OrArray', 'OrBool', 'OrStringArray']

/** Fields without `omitempty`, which are null when absent: the rules of a role, and times. */
const NULLABLE = [
  'rules',
  'firstTimestamp',
  'lastTimestamp',
  'eventTime',
  'lastProbeTime',
  'lastHeartbeatTime',
  'lastTransitionTime',
  'lastUpdateTime',
]

let table: Table | undefined
const resolved = new Map<string, JsonSchema>()

/** Copies of components that are still being resolved: the schema of schemas contains itself. */
let copies: { readonly copy: JsonObject; readonly target: JsonObject }[] = []
let depth = 0

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
  depth += 1
  complete(name, schema, found)
  depth -= 1
  if (depth > 0) return schema
  for (const { copy, target } of copies) Object.assign(copy, target, copy)
  copies = []
  return schema
}

function complete(name: string, schema: JsonSchema, found: JsonSchema): void {
  Object.assign(schema, resolve(found as Json), { 'x-go-type': name.slice(name.lastIndexOf('.') + 1) })
  if (name.endsWith('.JSONSchemaProps')) {
    for (const other of OR_SCHEMA)
      Object.assign(builtinComponent(`${name}${other}`), { properties: schema.properties ?? {} })
  }
  if (OPEN.test(name)) schema['x-kubernetes-preserve-unknown-fields'] = true
  if (name.endsWith('.RawExtension')) schema['x-kubernetes-map-type'] = 'atomic'
  for (const key of NULLABLE) {
    const field = schema.properties?.[key]
    if (!field) continue
    const copy = { nullable: true }
    copies.push({ copy, target: field as JsonObject })
    schema.properties = { ...schema.properties, [key]: copy }
  }
}

function resolve(node: Json): Json {
  if (Array.isArray(node)) return node.map(resolve)
  if (!isObject(node)) return node
  if (typeof node['$ref'] === 'string') {
    const target = builtinComponent(node['$ref']) as Json
    if (node['default'] === undefined || !isObject(target)) return target
    const copy: JsonObject = { 'x-go-struct': true }
    copies.push({ copy, target })
    return copy
  }
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(node)) out[key] = value === undefined ? undefined : resolve(value)
  return out
}

function readTable(): Table {
  return JSON.parse(readFileSync(new URL('./built-in-schemas.json', import.meta.url), 'utf8'))
}
