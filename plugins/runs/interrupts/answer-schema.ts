import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#core/json/is-object.ts'

/** A part of an answer that violates the schema. */
export interface AnswerProblem {
  readonly pointer: string
  readonly detail: string
}

type Fields = Readonly<Record<string, unknown>>

const MOST_PROBLEMS = 20
// Schema and value come from an agent and a caller. Without a bound, the work is their product.
const MOST_CHECKS = 50_000

interface Check {
  readonly problems: AnswerProblem[]
  left: number
}

/**
 * Validates a value by these keywords of JSON Schema: type, enum, const, properties, required, additionalProperties (false), items, and
 * bounds of numbers and lengths. Patterns and references are left to the agent, since an agent could make this process do
 * arbitrary work with them.
 */
export function answerProblems(schema: unknown, value: unknown, pointer: string): readonly AnswerProblem[] {
  const check: Check = { problems: [], left: MOST_CHECKS }
  visit(check, schema, value, pointer)
  return check.problems.slice(0, MOST_PROBLEMS)
}

function visit(check: Check, schema: unknown, value: unknown, pointer: string): void {
  if (!isObject(schema) || check.left-- <= 0 || check.problems.length >= MOST_PROBLEMS) return
  const detail = typeProblem(schema, value) ?? valueProblem(check, schema, value) ?? boundProblem(schema, value)
  if (detail !== undefined) check.problems.push({ pointer, detail })
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) {
      if (check.left <= 0) return
      visit(check, schema['items'], item, `${pointer}/${index}`)
    }
  else if (isObject(value)) visitFields(check, schema, value, pointer)
}

function visitFields(check: Check, schema: Fields, value: Fields, pointer: string): void {
  const at = (name: string): string => `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
    if (check.left-- <= 0) return
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      check.problems.push({ pointer: at(name), detail: 'is required' })
  }
  for (const [name, child] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) visit(check, properties[name], child, at(name))
    else if (schema['additionalProperties'] === false)
      check.problems.push({ pointer: at(name), detail: 'is not a field of the schema' })
  }
}

function typeProblem({ type }: Fields, value: unknown): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string')
  const fits = types.some((one) => (typeOf(value) === 'integer' && one === 'number') || typeOf(value) === one)
  return types.length === 0 || fits ? undefined : `must be ${types.slice(0, 8).join(' or ').slice(0, 100)}`
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function valueProblem(check: Check, schema: Fields, value: unknown): string | undefined {
  const { enum: among } = schema
  if ('const' in schema && !isDeepStrictEqual(schema['const'], value)) return 'must be the value of the schema'
  if (!Array.isArray(among)) return undefined
  check.left -= among.length
  return among.some((one) => isDeepStrictEqual(one, value)) ? undefined : 'must be one of the values of the schema'
}

function boundProblem(schema: Fields, value: unknown): string | undefined {
  const bound = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined)
  const within = (size: number, least: string, most: string): string | undefined => {
    const [min, max] = [bound(least), bound(most)]
    if (min !== undefined && size < min) return `${least} is ${min}`
    return max !== undefined && size > max ? `${most} is ${max}` : undefined
  }
  if (typeof value === 'number') return within(value, 'minimum', 'maximum')
  if (typeof value === 'string') return within(value.length, 'minLength', 'maxLength')
  return Array.isArray(value) ? within(value.length, 'minItems', 'maxItems') : undefined
}
