import { isObject } from '#core/json/is-object.ts'
import { judgeBySchema } from '#core/json-schema/judge.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'

/** Whether a text is JSON that matches a schema. */
export type OutputCheck = (text: string) => boolean

const MAX_DEPTH = 32
// The length of an output is up to the model. This limit suffices for about a million numbers, ten times that of other values.
const MAX_STEPS = 2_000_000

const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const annotations = new Set(['$schema', 'title', 'description', 'default', 'examples'])

/** Throws `PolicyProblem` for a value of a keyword that is not well-formed. */
type Shape = (given: unknown, at: Place) => void

interface Place {
  readonly pointer: string
  readonly depth: number
}

const limits =
  'minProperties, maxProperties, minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum'

// Other keywords would need references, or expressions that may take long. Ignoring a keyword would let every output pass.
const shapes: Readonly<Record<string, Shape>> = {
  type: (given, { pointer }) => {
    const named: readonly unknown[] = Array.isArray(given) ? given : [given]
    if (!named.every((one) => typeof one === 'string' && types.has(one)))
      throw new PolicyProblem(pointer, `must be one or more of ${[...types].join(', ')}`)
  },
  enum: (given, { pointer }) => {
    listOf(given, pointer)
  },
  const: () => undefined,
  properties: (given, { pointer, depth }) => {
    if (!isObject(given)) throw new PolicyProblem(pointer, 'must be an object')
    for (const [key, one] of Object.entries(given))
      requireSupported(one, { pointer: `${pointer}/${pointerToken(key)}`, depth })
  },
  required: (given, { pointer }) => {
    if (!listOf(given, pointer).every((one) => typeof one === 'string'))
      throw new PolicyProblem(pointer, 'must be a list of strings')
  },
  additionalProperties: requireSupported,
  ...Object.fromEntries(limits.split(', ').map((name) => [name, requireNumber])),
  items: requireSupported,
  anyOf: requireAll,
  allOf: requireAll,
  oneOf: requireAll,
  not: requireSupported,
}

/**
 * Compiles a JSON Schema of model outputs. Throws `PolicyProblem` for a keyword that is not supported or not well-formed. An output that takes
 * too many steps does not match the schema.
 */
export function outputCheck(schema: unknown): OutputCheck {
  requireSupported(schema, { pointer: '', depth: 0 })
  return (text) => {
    try {
      return judgeBySchema(JSON.parse(text), schema, MAX_STEPS) === true
    } catch {
      // No JSON, or too deep to be compared.
      return false
    }
  }
}

function requireSupported(schema: unknown, { pointer, depth }: Place): void {
  if (typeof schema === 'boolean') return
  if (!isObject(schema)) throw new PolicyProblem(pointer, 'must be a schema')
  if (depth > MAX_DEPTH) throw new PolicyProblem(pointer, `is more than ${MAX_DEPTH} levels deep`)
  for (const [keyword, given] of Object.entries(schema)) {
    // Below the root, it would change what the keywords beside it mean.
    if (annotations.has(keyword) || (keyword === '$id' && depth === 0)) continue
    const shape = Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined
    if (shape === undefined) {
      const supported = Object.keys(shapes).join(', ')
      throw new PolicyProblem(pointer, `has a keyword that is not supported; supported: ${supported}`)
    }
    shape(given, { pointer: `${pointer}/${keyword}`, depth: depth + 1 })
  }
}

function requireAll(given: unknown, { pointer, depth }: Place): void {
  for (const [index, one] of listOf(given, pointer).entries())
    requireSupported(one, { pointer: `${pointer}/${index}`, depth })
}

function requireNumber(given: unknown, { pointer }: Place): void {
  if (typeof given !== 'number') throw new PolicyProblem(pointer, 'must be a number')
}

function listOf(value: unknown, pointer: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value
  throw new PolicyProblem(pointer, 'must be a list with at least one item')
}
