import { isObject } from '#core/json/is-object.ts'
import { SHOWN_AS } from './shown-as.ts'

/** An example value; a wrapper, since `null` and `undefined` differ. */
export interface Example {
  readonly value: unknown
}

/**
 * Example of a schema: the first of its `examples`, else one built from the examples of its parts. Optional parts without an example are left out.
 * Undefined if a required part has none.
 */
export function exampleOf(schema: unknown): Example | undefined {
  if (!isObject(schema)) return undefined
  const { examples, anyOf, oneOf, type } = schema
  if (Array.isArray(examples)) return { value: examples[0] }
  if (schema[SHOWN_AS] !== undefined) return exampleOf(schema[SHOWN_AS])
  for (const fixed of ['const', 'default'] as const) if (fixed in schema) return { value: schema[fixed] }
  if (Array.isArray(schema.enum)) return { value: schema.enum[0] }
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return branches.map(exampleOf).find((found) => found !== undefined)
  if (type === 'object') return exampleOfObject(schema)
  return type === 'array' ? exampleOfList(schema.items) : type === 'null' ? { value: null } : undefined
}

function exampleOfObject({ properties = {}, required = [] }: Readonly<Record<string, unknown>>): Example | undefined {
  if (!isObject(properties) || !Array.isArray(required)) return undefined
  const fields: [string, unknown][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const found = exampleOf(schema)
    if (found !== undefined) fields.push([name, found.value])
    else if (required.includes(name)) return undefined
  }
  return { value: Object.fromEntries(fields) }
}

function exampleOfList(items: unknown): Example | undefined {
  const found = exampleOf(items)
  return found === undefined ? undefined : { value: [found.value] }
}
