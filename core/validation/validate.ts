import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { isObject } from '#core/json/is-object.ts'
import { boundsOf, durationProblem } from '#schemas/values/duration.ts'
import { SHOWN_AS } from '#schemas/values/shown-as.ts'
import type { FieldError } from '../errors/domain-error.ts'
import { describeErrors, escapeStep, UNKNOWN_FIELD } from './schema-errors.ts'

/** Returns the errors of a value; an empty list means valid. Nothing is coerced, defaulted or removed. */
export type Check = (value: unknown) => readonly FieldError[]

// The first few are enough for a client, and a hostile body cannot cause a large response.
const MAX_ERRORS = 20

/** Creates a check from a schema. Compiled at first use, since compiling costs 2 ms per schema at startup. */
export function checkOf(schema: TSchema): Check {
  let closed: TSchema | undefined
  let compiled: ReturnType<typeof Compile> | undefined
  return (value) => {
    closed ??= closeObjects(schema)
    const crowded = crowdedErrors(closed, value, '')
    if (crowded.length > 0) return crowded
    compiled ??= Compile(closed)
    return toErrors(schema, value, compiled.Check(value) ? undefined : compiled.Errors(value))
  }
}

/** Checks one value as `checkOf` does, without compiling: for schemas that are used once, such as those of settings at a start. */
export function checkOnce(schema: TSchema, value: unknown): readonly FieldError[] {
  const closed = closeObjects(schema)
  const crowded = crowdedErrors(closed, value, '')
  if (crowded.length > 0) return crowded
  return toErrors(schema, value, Value.Check(closed, value) ? undefined : Value.Errors(closed, value))
}

function toErrors(schema: TSchema, value: unknown, errors: ReturnType<typeof Value.Errors> | undefined) {
  return errors === undefined
    ? durationErrors(schema, value, '')
    : describeErrors(errors, { schema, value }).slice(0, MAX_ERRORS)
}

// Runs before validation, which would visit each field: 1 MiB holds 95,000 of them (F2).
function crowdedErrors(schema: unknown, value: unknown, pointer: string): readonly FieldError[] {
  if (!isObject(schema) || !isObject(value)) return []
  const properties = isObject(schema.properties) ? schema.properties : {}
  const keys = Object.keys(value)
  const { maxProperties: most } = schema
  if (typeof most === 'number' && keys.length > most)
    return [{ pointer, detail: `must not have more than ${most} properties` }]
  const isClosed = schema.additionalProperties === false && !isObject(schema.patternProperties)
  if (isClosed && keys.length >= Object.keys(properties).length + MAX_ERRORS)
    return keys
      .filter((key) => !Object.hasOwn(properties, key))
      .slice(0, MAX_ERRORS)
      .map((key) => ({ pointer: `${pointer}/${escapeStep(key)}`, detail: UNKNOWN_FIELD }))
  return Object.entries(properties).flatMap(([key, field]) =>
    Object.hasOwn(value, key) ? crowdedErrors(field, value[key], `${pointer}/${escapeStep(key)}`) : [],
  )
}

// JSON Schema cannot compare durations, so the bounds are annotations of the field (schemas/kinds/parts.ts).
function durationErrors(schema: unknown, value: unknown, pointer: string): readonly FieldError[] {
  if (!isObject(schema)) return []
  if (Array.isArray(value))
    return value.flatMap((item, index) => durationErrors(schema.items, item, `${pointer}/${index}`))
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const ofBranches = branches.flatMap((branch) => durationErrors(branch, value, pointer))
  const bounds = boundsOf(schema)
  if (typeof value === 'string' && bounds !== undefined) {
    const detail = durationProblem(value, bounds)
    return detail === undefined ? ofBranches : [...ofBranches, { pointer, detail }]
  }
  const { properties } = schema
  if (!isObject(value) || !isObject(properties)) return ofBranches
  const ofFields = Object.entries(properties).flatMap(([key, field]) =>
    Object.hasOwn(value, key) ? durationErrors(field, value[key], `${pointer}/${escapeStep(key)}`) : [],
  )
  return [...ofBranches, ...ofFields]
}

/** Closes every object of the schema that does not declare itself open, so that unknown fields are refused. */
function closeObjects(schema: TSchema): TSchema {
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

// Values under these keywords are data. Parts of an intersection know only their own fields, so they stay open.
const literals = new Set(['const', 'enum', 'default', 'examples', 'required', 'allOf', SHOWN_AS])
const namedSchemas = new Set(['properties', 'patternProperties', '$defs'])
