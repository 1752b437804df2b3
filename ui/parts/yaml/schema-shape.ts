/** A JSON Schema as the API serves it. */
export type SchemaNode = Readonly<Record<string, unknown>>

/** A schema with the named schemas that it refers to. */
export interface ValueSchema {
  readonly node: SchemaNode
  /** `components` of the OpenAPI document. */
  readonly named: Readonly<Record<string, unknown>>
}

/** How a value of a schema is entered. */
export type ValueShape =
  | 'string'
  | 'text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'object'
  | 'list'
  | 'map'
  | 'free'
  | 'other'

const MAX_REFERENCES = 20
/** From so many characters on a string has several lines. */
const LONG_TEXT = 1000

/** The schema behind its references; a cycle of references without anything else is a schema of any value. */
export function resolveSchema({ node, named }: ValueSchema): ValueSchema {
  let found = node
  for (let hops = 0; hops < MAX_REFERENCES; hops += 1) {
    const { $ref: reference, ...own } = found
    if (typeof reference !== 'string') return { node: simplify(found, named), named }
    const name = /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1] ?? ''
    const target = Object.hasOwn(named, name) ? toNode(named[name]) : undefined
    if (target === undefined) return { node: own, named }
    found = { ...target, ...own }
  }
  return { node: {}, named }
}

// Null beside one other schema is an absent value.
function simplify(node: SchemaNode, named: ValueSchema['named']): SchemaNode {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf)) return node
  const others = anyOf.filter((one) => toNode(one)?.['type'] !== 'null')
  if (others.length !== 1 || anyOf.length !== 2) return node
  return { ...resolveSchema({ node: toNode(others[0]) ?? {}, named }).node, ...rest }
}

/** A value as a schema; undefined if it is none. */
export function toNode(value: unknown): SchemaNode | undefined {
  return value instanceof Object && !Array.isArray(value) ? (value as SchemaNode) : undefined
}

/** How a value of a resolved schema is entered: `free` is an object of any fields, `other` in the YAML of the document only. */
export function shapeOf({ node }: ValueSchema): ValueShape {
  if (choicesOf(node).length > 0) return 'choice'
  if (isNumberOrText(node)) return 'string'
  const { type } = node
  // A pattern is of one line: an image, a reference, a command.
  if (type === 'string')
    return Number(node['maxLength'] ?? 0) >= LONG_TEXT && node['pattern'] === undefined ? 'text' : 'string'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'array') return toNode(node['items']) === undefined ? 'other' : 'list'
  if (type !== 'object') return 'other'
  if (toNode(node['properties']) !== undefined) return 'object'
  if (valuesOf({ node, named: {} }) !== undefined) return 'map'
  return isOpen(node) ? 'free' : 'other'
}

/** Whether a value is a number or a string: by the mark of Kubernetes, or by the types that the API names. */
export function isNumberOrText(node: SchemaNode): boolean {
  const { anyOf } = node
  const types = Array.isArray(anyOf) ? anyOf.map((one) => String(toNode(one)?.['type'])).toSorted() : []
  return node['x-kubernetes-int-or-string'] === true || ['integer,string', 'number,string'].includes(types.join())
}

/** The values of an enumeration. */
export function choicesOf(node: SchemaNode): readonly string[] {
  const { enum: values } = node
  return Array.isArray(values) && values.every((one) => typeof one === 'string') ? values : []
}

/** The schemas of the fields of an object, with their names. */
export function fieldsOf({ node, named }: ValueSchema): readonly (readonly [string, ValueSchema])[] {
  return Object.entries(toNode(node['properties']) ?? {}).flatMap(([name, field]) => {
    const found = toNode(field)
    return found === undefined ? [] : [[name, resolveSchema({ node: found, named })] as const]
  })
}

/** The schema of the entries of a list, or of the values of a map. */
export function valuesOf({ node, named }: ValueSchema): ValueSchema | undefined {
  const patterns = Object.values(toNode(node['patternProperties']) ?? {})
  const found = toNode(node['items']) ?? toNode(node['additionalProperties']) ?? toNode(patterns[0])
  return found === undefined ? undefined : resolveSchema({ node: found, named })
}

/** Names of the fields that must be present. */
export function requiredOf(node: SchemaNode): readonly string[] {
  const { required } = node
  return Array.isArray(required) ? required.map(String) : []
}

/** Whether an object of the schema may have fields that it does not name. */
export function isOpen(node: SchemaNode): boolean {
  return node['additionalProperties'] !== false
}
