import { isObject } from '#core/json/is-object.ts'

/** A JSON schema node as plain data. */
export type SchemaNode = Record<string, unknown>

// Keywords of a structural schema (apiextensions.k8s.io/v1 JSONSchemaProps) that are copied unchanged.
const COPIED = [
  'type',
  'format',
  'description',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
] as const

/**
 * Converts a schema of a kind to the structural schema of its CRD. `additionalProperties: false` is removed, since the API server itself prunes or
 * refuses unknown fields. The platform's own keywords are removed, too.
 */
export function toStructuralSchema(schema: object): SchemaNode {
  const node = schema as SchemaNode
  const out: SchemaNode = {}
  for (const key of COPIED) if (node[key] !== undefined) out[key] = node[key]
  for (const key of Object.keys(node)) if (key.startsWith('x-kubernetes-')) out[key] = node[key]
  if (out['enum'] !== undefined && out['type'] === undefined) out['type'] = 'string'
  if (out['x-kubernetes-int-or-string'] === true) out['anyOf'] = node['anyOf']
  const properties = isObject(node['properties']) ? node['properties'] : undefined
  if (properties !== undefined) out['properties'] = mapNodes(properties)
  const values = mapValueSchema(node)
  if (values !== undefined) out['additionalProperties'] = toStructuralSchema(values)
  if (isObject(node['items'])) out['items'] = toStructuralSchema(node['items'])
  return out
}

// TypeBox writes a record as one pattern property; a CRD only has `additionalProperties`.
function mapValueSchema(node: SchemaNode): SchemaNode | undefined {
  if (isObject(node['patternProperties'])) {
    return Object.values(node['patternProperties']).find(isObject)
  }
  return isObject(node['additionalProperties']) ? node['additionalProperties'] : undefined
}

function mapNodes(properties: SchemaNode): SchemaNode {
  const entries = Object.entries(properties).flatMap(([name, value]) =>
    isObject(value) ? [[name, toStructuralSchema(value)] as const] : [],
  )
  return Object.fromEntries(entries)
}
