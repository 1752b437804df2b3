import { documentText as text } from '../../text/documents.ts'
import { fieldsOf, isOpen, requiredOf, resolveSchema, toNode, valuesOf } from '../yaml/schema-shape.ts'
import type { SchemaNode, ValueSchema } from '../yaml/schema-shape.ts'
import type { ValuePath } from '../yaml/yaml-source.ts'

/** What is wrong with a value of a document. */
export interface ValueProblem {
  readonly path: ValuePath
  readonly detail: string
}

const MAX_PROBLEMS = 50
/** A pattern is not applied to longer strings. */
const MAX_MATCHED_CHARS = 10_000

/** Checks a value by its schema, as far as the form knows schemas: the server has the last word. */
export function checkValue(schema: ValueSchema, value: unknown): readonly ValueProblem[] {
  const problems: ValueProblem[] = []
  check(resolveSchema(schema), value, [])
  return problems

  function check(one: ValueSchema, given: unknown, path: ValuePath): void {
    if (problems.length >= MAX_PROBLEMS) return
    const detail = problemOf(one.node, given)
    if (detail !== undefined) problems.push({ path, detail })
    else if (Array.isArray(given)) checkItems(one, given, path)
    else if (toNode(given) !== undefined) checkFields(one, given as SchemaNode, path)
  }

  function checkItems(one: ValueSchema, items: readonly unknown[], path: ValuePath): void {
    const schemaOfItems = toNode(one.node['items']) === undefined ? undefined : valuesOf(one)
    if (schemaOfItems === undefined) return
    for (const [index, item] of items.entries()) check(schemaOfItems, item, [...path, index])
  }

  function checkFields(one: ValueSchema, object: SchemaNode, path: ValuePath): void {
    for (const name of requiredOf(one.node))
      if (!Object.hasOwn(object, name)) problems.push({ path, detail: text.problem.required(name) })
    const fields = new Map(fieldsOf(one))
    const values = valuesOf(one)
    for (const [name, item] of Object.entries(object)) {
      const field = fields.get(name) ?? values
      if (field !== undefined) check(field, item, [...path, name])
      else if (!isOpen(one.node)) problems.push({ path: [...path, name], detail: text.problem.unknown(name) })
    }
  }
}

// Unions of several types are left to the server.
function problemOf(node: SchemaNode, value: unknown): string | undefined {
  const { type, enum: values, const: only } = node
  if (only !== undefined && value !== only) return text.problem.oneOf([String(only)])
  if (Array.isArray(values) && !values.includes(value)) return text.problem.oneOf(values.map(String))
  if (typeof type === 'string' && !hasType(type, value)) return text.problem.type(type)
  if (typeof value === 'string') return stringProblem(node, value)
  if (typeof value === 'number') return rangeProblem(value, node['minimum'], node['maximum'])
  if (Array.isArray(value)) return countProblem(value.length, node['minItems'], node['maxItems'])
  return undefined
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return toNode(value) !== undefined
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'null') return value === null
  return typeof value === type
}

function stringProblem(node: SchemaNode, value: string): string | undefined {
  const { minLength, maxLength, pattern } = node
  if (typeof minLength === 'number' && value.length < minLength) return text.problem.tooShort(minLength)
  if (typeof maxLength === 'number' && value.length > maxLength) return text.problem.tooLong(maxLength)
  const isMatched = typeof pattern !== 'string' || value.length > MAX_MATCHED_CHARS || matches(pattern, value)
  return isMatched ? undefined : text.problem.pattern(pattern)
}

// A pattern of another language is left to the server.
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function rangeProblem(value: number, least: unknown, most: unknown): string | undefined {
  if (typeof least === 'number' && value < least) return text.problem.least(least)
  return typeof most === 'number' && value > most ? text.problem.most(most) : undefined
}

function countProblem(count: number, least: unknown, most: unknown): string | undefined {
  if (typeof least === 'number' && count < least) return text.problem.fewest(least)
  return typeof most === 'number' && count > most ? text.problem.manyItems(most) : undefined
}
