import { isObject } from '#core/json/is-object.ts'
import { boundsOf, durationProblem } from '../values/duration.ts'
import { patternText } from '../values/pattern-text.ts'
import { MAX_PROBLEMS } from './problem.ts'
import type { Path, FileProblem } from './problem.ts'
import { didYouMean, oneOf } from '../values/nearest.ts'

type Node = Record<string, unknown>

/**
 * Checks a value against plain JSON schema: the keywords that the agent format uses, and no others. Written by hand, because a schema library costs
 * more at start-up (135 ms) than the whole command. Lazy: a caller that stops after the first problems avoids the cost of the rest (SEC3).
 */
export function* checkValue(schema: Node, value: unknown, path: Path = []): Generator<FileProblem, void> {
  if (Array.isArray(schema['anyOf'])) return yield* checkUnion(schema, value, path)
  const type = schema['type']
  if (typeof type === 'string' && !hasType(type, value)) {
    return yield problem(path, `must be ${NAMES[type] ?? type}${instead(schema, value)}`)
  }
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(value)) {
    return yield problem(path, `must be ${oneOf(schema['enum'].map(String), value)}`)
  }
  if (typeof value === 'string') yield* checkText(schema, value, path)
  else if (typeof value === 'number') yield* checkNumber(schema, value, path)
  else if (Array.isArray(value)) yield* checkList(schema, value, path)
  else if (isObject(value)) yield* checkObject(schema, value, path)
}

const NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

// `model: mock` is what people write first. The value is not repeated: it may be a key.
function instead(schema: Node, value: unknown): string {
  const [name, ...more] = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const isShort = schema['type'] === 'object' && typeof value === 'string'
  return isShort && name !== undefined && more.length === 0 ? `; write { ${name}: ${name.toUpperCase()} }` : ''
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  return typeof value === type
}

// Reports the branch whose type matches; among several objects, the one with the fewest problems.
function* checkUnion(schema: Node, value: unknown, path: Path): Generator<FileProblem, void> {
  const branches = (schema['anyOf'] as unknown[]).filter(isObject)
  const fitting = branches.filter((branch) => fits(branch, value))
  if (fitting.length === 0) {
    const names = [...new Set(branches.map((branch) => NAMES[String(branch['type'])] ?? String(branch['type'])))]
    return yield problem(path, `must be ${names.join(' or ')}`)
  }
  const { anyOf: _anyOf, ...rest } = schema
  const results = fitting.map((branch) => [...checkValue({ ...rest, ...branch }, value, path).take(MAX_PROBLEMS)])
  yield* results.reduce((best, next) => (next.length < best.length ? next : best))
}

function fits(branch: Node, value: unknown): boolean {
  return typeof branch['type'] === 'string' && hasType(branch['type'], value)
}

function checkText(schema: Node, value: string, path: Path): FileProblem[] {
  const { minLength, maxLength, pattern } = schema
  if (typeof minLength === 'number' && value.length < minLength) return [problem(path, 'must not be empty')]
  // Length before pattern: a pattern is never applied to an unbounded string (X2).
  if (typeof maxLength === 'number' && value.length > maxLength) {
    return [problem(path, `must have at most ${maxLength} characters`)]
  }
  const bounds = boundsOf(schema)
  if (bounds !== undefined) {
    const detail = durationProblem(value, bounds)
    return detail === undefined ? [] : [problem(path, detail)]
  }
  if (typeof pattern === 'string' && !new RegExp(pattern).test(value)) {
    return [problem(path, patternText(pattern))]
  }
  return []
}

function checkNumber(schema: Node, value: number, path: Path): FileProblem[] {
  const { minimum, maximum } = schema
  if (typeof minimum === 'number' && value < minimum) return [problem(path, `must be at least ${minimum}`)]
  if (typeof maximum === 'number' && value > maximum) return [problem(path, `must be at most ${maximum}`)]
  return []
}

function* checkList(schema: Node, value: unknown[], path: Path): Generator<FileProblem, void> {
  const { minItems, maxItems, items } = schema
  if (typeof minItems === 'number' && value.length < minItems) {
    return yield problem(path, `must have at least ${minItems} entries`)
  }
  if (typeof maxItems === 'number' && value.length > maxItems) {
    return yield problem(path, `must have at most ${maxItems} entries`)
  }
  if (!isObject(items)) return
  for (const [index, item] of value.entries()) yield* checkValue(items, item, [...path, index])
}

function* checkObject(schema: Node, value: Node, path: Path): Generator<FileProblem, void> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const { maxProperties } = schema
  if (typeof maxProperties === 'number' && Object.keys(value).length > maxProperties)
    return yield problem(path, `must have at most ${maxProperties} fields`)
  for (const name of required) if (!Object.hasOwn(value, name)) yield problem(path, `${name} is required`)
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : patternFor(schema, name)
    if (isObject(property)) yield* checkValue(property, item, [...path, name])
    else if (schema['additionalProperties'] === false) yield unknownField(path, name, Object.keys(properties))
  }
}

function patternFor(schema: Node, name: string): unknown {
  if (isObject(schema['additionalProperties'])) return schema['additionalProperties']
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : []
  return patterns.find(([pattern]) => name.length <= 317 && new RegExp(pattern).test(name))?.[1]
}

function unknownField(path: Path, name: string, known: readonly string[]): FileProblem {
  return problem([...path, name], `unknown field "${name.slice(0, 64)}"${didYouMean(name, known)}`)
}

function problem(path: Path, message: string): FileProblem {
  return { path, message }
}
