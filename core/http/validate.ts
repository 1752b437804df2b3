import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { FieldError } from './errors.ts'

/** Says what is wrong with a value; an empty list is a valid one. Nothing is coerced, defaulted or removed. */
export type Check = (value: unknown) => readonly FieldError[]

// A client learns as much from the first few, and a hostile body cannot make a large answer.
const MAX_ERRORS = 20

/** A check by schema, compiled at its first use (compiling at start would cost 2 ms a schema). */
export function checkOf(schema: TSchema): Check {
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    compiled ??= Compile(closeObjects(schema))
    return compiled.Check(value) ? [] : describe(compiled.Errors(value))
  }
}

/** The schema with every object closed that does not say itself whether it is open: unknown fields are refused. */
export function closeObjects(schema: TSchema): TSchema {
  return rewrite(schema) as TSchema
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => [key, rewriteKeyword(key, value)])
  const rewritten: Record<string, unknown> = Object.fromEntries(entries)
  const closes = rewritten.type === 'object' && 'properties' in rewritten && !('additionalProperties' in rewritten)
  return closes ? { ...rewritten, additionalProperties: false } : rewritten
}

function rewriteKeyword(key: string, value: unknown): unknown {
  if (literals.has(key)) return value
  if (!namedSchemas.has(key) || typeof value !== 'object' || value === null) return rewrite(value)
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, rewrite(schema)]))
}

// Values under these are data; parts of an intersection know only their own fields, so they stay open.
const literals = new Set(['const', 'enum', 'default', 'examples', 'required', 'allOf'])
const namedSchemas = new Set(['properties', 'patternProperties', '$defs'])

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

// Messages are made of the schema's words only, never of the value (M7).
function describe(errors: readonly SchemaError[]): readonly FieldError[] {
  const fields = errors.flatMap((error) => toFields(error))
  const seen = new Set<string>()
  const unique = fields.filter(({ pointer, detail }) => {
    const key = `${pointer} ${detail}`
    return !seen.has(key) && seen.add(key)
  })
  return unique.slice(0, MAX_ERRORS)
}

function toFields(error: SchemaError): FieldError[] {
  const at = (key: string, detail: string): FieldError => ({ pointer: `${error.instancePath}/${escape(key)}`, detail })
  const params = { ...error.params } as Record<string, unknown>
  switch (error.keyword) {
    case 'boolean': // the closed object's own error names the field
      return []
    case 'additionalProperties':
      return texts(params.additionalProperties).map((key) => at(key, 'is not a known field'))
    case 'required':
      return texts(params.requiredProperties).map((key) => at(key, 'is required'))
    case 'enum':
      return [{ pointer: error.instancePath, detail: `must be one of: ${texts(params.allowedValues).join(', ')}` }]
    default:
      return [{ pointer: error.instancePath, detail: error.message }]
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function escape(key: string): string {
  return key.slice(0, 128).replaceAll('~', '~0').replaceAll('/', '~1')
}
