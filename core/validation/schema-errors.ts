import { pointerToken } from '#schemas/values/json-pointer.ts'
import { didYouMean, oneOf } from '#schemas/values/nearest.ts'
import { boundsOf, durationProblem } from '#schemas/values/duration.ts'
import { patternText } from '#schemas/values/pattern-text.ts'
import type { FieldError } from '../errors/domain-error.ts'

/** An error of the schema library: JSON pointers into schema and value, and the keyword's parameters. */
export interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** Message for a field that is not in the schema. */
export const UNKNOWN_FIELD = 'is not a known field'

/** Groups errors by field, each once. Messages quote the schema only, never the value (M7). */
export function describeErrors(
  errors: readonly SchemaError[],
  checked: { readonly schema: unknown; readonly value: unknown },
): readonly FieldError[] {
  const seen = new Set<string>()
  return joinBranches(errors)
    .flatMap((error) => toFields(error, checked))
    .filter(({ pointer, detail }) => {
      const key = `${pointer} ${detail}`
      return !seen.has(key) && seen.add(key)
    })
}

// Each literal of a union is reported separately; joined, they are the accepted values.
function joinBranches(errors: readonly SchemaError[]): readonly SchemaError[] {
  const literals = Map.groupBy(
    errors.filter(({ keyword }) => keyword === 'const'),
    ({ instancePath }) => instancePath,
  )
  const joined = [...literals.values()].flatMap(([first, ...more]): SchemaError[] => {
    if (first === undefined) return []
    const allowedValues = [first, ...more].map(({ params }) => ('allowedValue' in params ? params.allowedValue : ''))
    return [{ ...first, keyword: 'enum', params: { allowedValues } }]
  })
  const isUnion = ({ keyword, instancePath }: SchemaError): boolean => keyword === 'anyOf' && literals.has(instancePath)
  return [...errors.filter((error) => error.keyword !== 'const' && !isUnion(error)), ...joined]
}

function toFields(error: SchemaError, { schema, value }: { schema: unknown; value: unknown }): FieldError[] {
  const { instancePath: pointer, schemaPath } = error
  const at = (key: string, detail: string): FieldError => ({ pointer: `${pointer}/${escapeStep(key)}`, detail })
  const params: Readonly<Record<string, unknown>> = { ...error.params }
  switch (error.keyword) {
    case 'boolean': // the closed object's own error names the field
      return []
    case 'additionalProperties': {
      const known = Object.keys(fieldOf(nodeAt(schema, schemaPath), 'properties') ?? {})
      return texts(params['additionalProperties']).map((key) => at(key, `${UNKNOWN_FIELD}${didYouMean(key, known)}`))
    }
    case 'required':
      return texts(params['requiredProperties']).map((key) => at(key, 'is required'))
    case 'enum':
      return [{ pointer, detail: `must be ${oneOf(texts(params['allowedValues']), nodeAt(value, pointer))}` }]
    case 'pattern':
      return [{ pointer, detail: durationDetail(schemaPath, schema) ?? patternText(String(params['pattern'])) }]
    default:
      return [{ pointer, detail: durationDetail(schemaPath, schema) ?? error.message }]
  }
}

// A string that is not a duration gets the message for out-of-bounds values instead of the pattern.
function durationDetail(schemaPath: string, schema: unknown): string | undefined {
  const steps = schemaPath.split('/').slice(1)
  const bounds = steps
    .map((_, index) => nodeAt(schema, ['', ...steps.slice(0, index + 1)].join('/')))
    .map((node) => (isNode(node) ? boundsOf(node) : undefined))
    .find((found) => found !== undefined)
  return bounds && durationProblem('', bounds)
}

function nodeAt(root: unknown, pointer: string): unknown {
  let node = root
  for (const step of pointer.split('/').slice(1)) {
    node = fieldOf(node, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return node
}

function fieldOf(node: unknown, key: string): unknown {
  return isNode(node) && Object.hasOwn(node, key) ? node[key] : undefined
}

function isNode(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Escapes one step of a JSON pointer. A key can be as long as the body, so it is truncated. */
export function escapeStep(key: string): string {
  return pointerToken(key.slice(0, 128))
}
