import { asObject } from '#core/json/is-object.ts'
import { pointerToken } from '#schemas/values/json-pointer.ts'
import { limitKeywords } from './limit-keywords.ts'
import { additionalFields } from './parts.ts'

/** A part of a value that violates its schema: its JSON pointer, and a predicate such as `is required`. */
export interface SchemaProblem {
  readonly pointer: string
  readonly detail: string
}

type Schema = Readonly<Record<string, unknown>>

/**
 * Describes how a value violates a keyword that judges it as one. Pointers are relative to the value. Values of the schema are not repeated,
 * except types and limits.
 */
export function describeKeyword(name: string, schema: Schema, value: unknown): readonly SchemaProblem[] {
  const given = schema[name]
  if (name === 'required') return missingOf(given, value).map((field) => below(field, 'is required'))
  if (name === 'additionalProperties')
    return additionalFields(schema, value).map((field) => below(field, 'is not a field of the schema'))
  return [{ pointer: '', detail: detailOf(name, given) }]
}

function detailOf(name: string, given: unknown): string {
  if (name === 'type') return `must be ${namesOf(given).slice(0, 8).join(' or ').slice(0, 100)}`
  if (name === 'enum') return 'must be one of the values of the schema'
  if (name === 'const') return 'must be the value of the schema'
  if (Object.hasOwn(limitKeywords, name)) return `${name} is ${String(given)}`
  return `does not match ${name} of the schema`
}

function missingOf(given: unknown, value: unknown): readonly string[] {
  return namesOf(given).filter((name) => !Object.hasOwn(asObject(value), name))
}

function namesOf(given: unknown): readonly string[] {
  return (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string')
}

function below(field: string, detail: string): SchemaProblem {
  return { pointer: `/${pointerToken(field)}`, detail }
}
