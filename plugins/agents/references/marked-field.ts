import { isObject } from '#core/json/is-object.ts'

type Node = Readonly<Record<string, unknown>>

const path = /^[A-Za-z][A-Za-z0-9]*(?:\[\])?(?:\.[A-Za-z][A-Za-z0-9]*(?:\[\])?)*$/

/** Whether a string is the path of a field of a spec: names separated by dots, with `[]` after lists. */
export function isFieldPath(field: string): boolean {
  return field.length <= 500 && path.test(field)
}

/** A schema that only marks one field. */
export function toMarkedSchema(field: string, to: string): Node {
  const mark: Node = { 'x-mesh-ref': to }
  return stepsOf(field).reduceRight<Node>(
    (node, step) => (step === '[]' ? { items: node } : { properties: { [step]: node } }),
    mark,
  )
}

/** Finds a field in the schema of a spec: whether it exists, and the mark on it, above or below it. */
export function findField(schema: unknown, field: string): { readonly node?: Node; readonly marked?: string } {
  let node: unknown = schema
  for (const step of stepsOf(field)) {
    const marked = markOf(node)
    if (marked !== undefined) return { marked }
    node = childOf(node, step)
  }
  if (!isObject(node)) return {}
  const marked = markBelow(node)
  return { node, ...(marked === undefined ? {} : { marked }) }
}

function stepsOf(field: string): readonly string[] {
  return field.split('.').flatMap((name) => (name.endsWith('[]') ? [name.slice(0, -2), '[]'] : [name]))
}

function childOf(node: unknown, step: string): unknown {
  if (!isObject(node)) return undefined
  if (step === '[]') return node['items']
  const { properties } = node
  return isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
}

function markOf(node: unknown): string | undefined {
  const mark = isObject(node) ? node['x-mesh-ref'] : undefined
  return typeof mark === 'string' ? mark : undefined
}

function markBelow(node: unknown): string | undefined {
  const own = markOf(node)
  if (own !== undefined || !isObject(node)) return own
  const { items, properties } = node
  const below = [items, ...(isObject(properties) ? Object.values(properties) : [])]
  return below.map(markBelow).find((mark) => mark !== undefined)
}
