import { canonicalJson } from '#core/json/canonical-json.ts'
import { isObject } from '#core/json/is-object.ts'
import { PolicyProblem } from './detectors/policy-problem.ts'

/** Whether a text is JSON of a schema. */
export type OutputCheck = (text: string) => boolean

type Schema = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const maxDepth = 32
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
const annotations = new Set(['$schema', '$id', 'title', 'description', 'default', 'examples'])
// Others would need references, expressions that may take long, or comparisons of every item with every other one.
const keywords =
  'type, enum, const, properties, required, additionalProperties, minProperties, maxProperties, items, minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum, anyOf, allOf, oneOf, not'

/**
 * Compiles a JSON Schema of answers. It is interpreted: the launcher has no schema library, and code is never generated from a policy. Throws
 * `PolicyProblem` for a keyword that is not supported.
 */
export function outputCheck(schema: unknown): OutputCheck {
  const check = compile(schema, '', 0)
  return (text) => {
    try {
      return check(JSON.parse(text))
    } catch {
      // No JSON, or too deep to be compared.
      return false
    }
  }
}

function compile(schema: unknown, pointer: string, depth: number): Check {
  if (typeof schema === 'boolean') return () => schema
  if (!isObject(schema)) throw new PolicyProblem(pointer, 'must be a schema')
  if (depth > maxDepth) throw new PolicyProblem(pointer, `is more than ${maxDepth} levels deep`)
  const checks = Object.keys(schema).flatMap((keyword) => {
    if (annotations.has(keyword)) return []
    const make = Object.hasOwn(makers, keyword) ? makers[keyword] : undefined
    if (make === undefined)
      throw new PolicyProblem(pointer, `has a keyword that is not supported; supported: ${keywords}`)
    const of = (value: unknown, step: string): Check => compile(value, `${pointer}/${keyword}${step}`, depth + 1)
    return [make({ value: schema[keyword], schema, pointer: `${pointer}/${keyword}`, of })]
  })
  return (value) => checks.every((check) => check(value))
}

interface Making {
  readonly value: unknown
  readonly schema: Schema
  readonly pointer: string
  /** Compiles a schema below the keyword. */
  readonly of: (value: unknown, step: string) => Check
}

const makers: Readonly<Record<string, (making: Making) => Check>> = {
  type: ({ value, pointer }) => {
    const named = Array.isArray(value) ? value : [value]
    if (!named.every((one) => types.includes(one))) throw new PolicyProblem(pointer, `must be of ${types.join(', ')}`)
    return (given) => named.some((one) => isOfType(given, one as (typeof types)[number]))
  },
  enum: ({ value, pointer }) => {
    const allowed = new Set(listOf(value, pointer).map(canonicalJson))
    return (given) => allowed.has(canonicalJson(given))
  },
  const: ({ value }) => {
    const text = canonicalJson(value)
    return (given) => canonicalJson(given) === text
  },
  properties: ({ value, pointer, of }) => {
    const fields = Object.entries(objectOf(value, pointer)).map(
      ([key, one]) => [key, of(one, `/${escape(key)}`)] as const,
    )
    return (given) =>
      !isObject(given) || fields.every(([key, check]) => !Object.hasOwn(given, key) || check(given[key]))
  },
  required: ({ value, pointer }) => {
    const keys = listOf(value, pointer).map(String)
    return (given) => !isObject(given) || keys.every((key) => Object.hasOwn(given, key))
  },
  additionalProperties: ({ value, schema, of }) => {
    const known = new Set(isObject(schema.properties) ? Object.keys(schema.properties) : [])
    const check = of(value, '')
    return (given) => !isObject(given) || Object.entries(given).every(([key, one]) => known.has(key) || check(one))
  },
  items: ({ value, of }) => {
    const check = of(value, '')
    return (given) => !Array.isArray(given) || given.every(check)
  },
  anyOf: ({ value, pointer, of }) => {
    const checks = listOf(value, pointer).map((one, index) => of(one, `/${index}`))
    return (given) => checks.some((check) => check(given))
  },
  allOf: ({ value, pointer, of }) => {
    const checks = listOf(value, pointer).map((one, index) => of(one, `/${index}`))
    return (given) => checks.every((check) => check(given))
  },
  oneOf: ({ value, pointer, of }) => {
    const checks = listOf(value, pointer).map((one, index) => of(one, `/${index}`))
    return (given) => checks.filter((check) => check(given)).length === 1
  },
  not: ({ value, of }) => {
    const check = of(value, '')
    return (given) => !check(given)
  },
  minProperties: bound((given) => (isObject(given) ? Object.keys(given).length : undefined), atLeast),
  maxProperties: bound((given) => (isObject(given) ? Object.keys(given).length : undefined), atMost),
  minItems: bound((given) => (Array.isArray(given) ? given.length : undefined), atLeast),
  maxItems: bound((given) => (Array.isArray(given) ? given.length : undefined), atMost),
  minLength: bound(characters, atLeast),
  maxLength: bound(characters, atMost),
  minimum: bound(numberOf, atLeast),
  maximum: bound(numberOf, atMost),
  exclusiveMinimum: bound(numberOf, (value, limit) => value > limit),
  exclusiveMaximum: bound(numberOf, (value, limit) => value < limit),
}

/** A keyword that compares a number of the value with a limit; values without that number pass. */
function bound(measure: (given: unknown) => number | undefined, holds: (value: number, limit: number) => boolean) {
  return ({ value: limit, pointer }: Making): Check => {
    if (typeof limit !== 'number') throw new PolicyProblem(pointer, 'must be a number')
    return (given) => {
      const value = measure(given)
      return value === undefined || holds(value, limit)
    }
  }
}

function atLeast(value: number, limit: number): boolean {
  return value >= limit
}

function atMost(value: number, limit: number): boolean {
  return value <= limit
}

function characters(given: unknown): number | undefined {
  return typeof given === 'string' ? Array.from(given).length : undefined
}

function numberOf(given: unknown): number | undefined {
  return typeof given === 'number' ? given : undefined
}

function isOfType(value: unknown, type: (typeof types)[number]): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function listOf(value: unknown, pointer: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value
  throw new PolicyProblem(pointer, 'must be a list with at least one item')
}

function objectOf(value: unknown, pointer: string): Schema {
  if (isObject(value)) return value
  throw new PolicyProblem(pointer, 'must be an object')
}

// RFC 6901.
function escape(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
