import { RE2JS } from 're2js'
import { equalJson, isObject } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'
import type { Cause } from '../json/status.ts'
import { createCache } from './bounded-cache.ts'
import { hasFormat } from './formats.ts'
import type { JsonSchema } from './json-schema.ts'
import { correlated, fieldSchema } from './structural-schema.ts'

/** Position of a value: its dotted path and the value that it replaces, if any (unchanged values are not validated again). */
export interface Place {
  readonly path: string
  readonly old?: Json | undefined
}

/** Maximum number of causes per list or map: bounds the size of the response. */
const MAX_CAUSES = 1_000

/** A pattern compiles to a program of its size; this bounds the memory of 2,000 cached patterns. */
const MAX_PATTERN = 4_096
const patterns = createCache(2_000, (pattern) => RE2JS.compile(pattern))

/** Values checked in one write, counted once per schema that applies to them: about 0.5 s. */
const MAX_VISITS = 2_000_000

/** The validation of one write needs more than `MAX_VISITS`. */
export class VisitsExceeded extends Error {
  override readonly name = 'VisitsExceeded'
}

let visits = 0

/** Starts counting the checked values of one write. */
export function resetVisits(): void {
  visits = 0
}

/** Causes of a value that violates its OpenAPI schema; throws `VisitsExceeded`. */
export function validateValue(value: Json, schema: JsonSchema, place: Place): Cause[] {
  if ((visits += 1) > MAX_VISITS)
    throw new VisitsExceeded(
      `the validation needs more than ${MAX_VISITS} checks: the object or its schema is too large`,
    )
  if (place.old !== undefined && equalJson(value, place.old)) return []
  if (value === null && schema.nullable) return []
  const wrong = wrongType(value, schema, place)
  const causes = [...wrong, ...validateLogic(value, schema, place)]
  if (wrong.length > 0) return causes
  if (typeof value === 'string') causes.push(...validateString(value, schema, place))
  else if (typeof value === 'number') causes.push(...validateNumber(value, schema, place))
  if (schema.enum && !schema.enum.some((each) => equalJson(each, value))) {
    const allowed = schema.enum
      .map((each) => JSON.stringify(typeof each === 'string' ? each : JSON.stringify(each)))
      .join(', ')
    causes.push(cause('NotSupported', `Unsupported value: ${shown(value)}: supported values: ${allowed}`, place.path))
  }
  if (Array.isArray(value)) causes.push(...validateList(value, schema, place))
  else if (isObject(value)) causes.push(...validateObject(value, schema, place))
  return causes
}

/** One cause; `reason` without its prefix `FieldValue`. */
export function cause(reason: string, message: string, field: string): Cause {
  return { reason: `FieldValue${reason}`, message, field: field || '<nil>' }
}

function invalid(value: Json, detail: string, path: string): Cause {
  return cause('Invalid', `Invalid value: ${shown(value)}: ${path} in body ${detail}`, path)
}

/** A cause without a field, as kube-apiserver reports combinations and number formats. */
function unplaced(detail: string): Cause {
  return cause('Invalid', `Invalid value: "": ${detail}`, '')
}

function shown(value: Json): string {
  return JSON.stringify(value)
}

function typeOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function wrongType(value: Json, schema: JsonSchema, { path }: Place): Cause[] {
  const type = typeOf(value)
  const wanted = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : undefined
  if (!wanted) return []
  const fits = wanted.includes(type) || (type === 'integer' && wanted.includes('number'))
  const formatted = typeof value === 'string' && schema.format !== undefined && !hasFormat(value, schema.format)
  if (fits && !formatted) return []
  const name = fits ? schema.format : wanted.join(',')
  const text = JSON.stringify(fits ? value : type)
  const causes = [
    cause('TypeInvalid', `Invalid value: ${text}: ${path} in body must be of type ${name}: ${text}`, path),
  ]
  if (type === 'number' && schema.type === 'integer') {
    causes.push(
      unplaced(
        `Checked value must be of type integer ${schema.format ? `with format ${schema.format}` : '(default format)'} in ${path}`,
      ),
    )
  }
  return causes
}

function validateString(value: string, schema: JsonSchema, { path }: Place): Cause[] {
  const length = [...value].length
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return [cause('TooLong', `Too long: may not be more than ${schema.maxLength} bytes`, path)]
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    return [invalid(value, `should be at least ${schema.minLength} chars long`, path)]
  }
  if (schema.pattern !== undefined && !compiledPattern(schema.pattern).matcher(value).find()) {
    return [invalid(value, `should match '${schema.pattern}'`, path)]
  }
  return []
}

/** Patterns run in RE2, as in kube-apiserver: linear time for every pattern (X2). */
export const compiledPattern = (pattern: string): RE2JS => patterns(pattern)

/** Why a pattern of a definition is refused; undefined when it can be used. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN) return `it has more than ${MAX_PATTERN} characters`
  try {
    compiledPattern(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function validateNumber(value: number, schema: JsonSchema, { path }: Place): Cause[] {
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum, format } = schema
  const causes: Cause[] = []
  if ((format === 'int32' && Math.abs(value + 0.5) > 2 ** 31) || (format === 'int64' && Math.abs(value) > 2 ** 63)) {
    causes.push(unplaced(`Checked value must be of type integer with format ${format} in ${path}`))
  }
  if (multipleOf !== undefined && value % multipleOf !== 0)
    causes.push(invalid(value, `should be a multiple of ${multipleOf}`, path))
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    causes.push(invalid(value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`, path))
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    causes.push(invalid(value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`, path))
  }
  return causes
}

function validateList(value: Json[], schema: JsonSchema, { path, old }: Place): Cause[] {
  const causes: Cause[] = []
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    causes.push(invalid(value.length, `should have at least ${schema.minItems} items`, path))
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    causes.push(tooMany(value.length, schema.maxItems, path))
  const { items } = schema
  if (!items) return causes
  for (const [i, item] of value.entries()) {
    if (causes.length >= MAX_CAUSES) break
    causes.push(...validateValue(item, items, { path: `${path}[${i}]`, old: correlated(schema, old, item) }))
  }
  return causes
}

function tooMany(count: number, limit: number, path: string): Cause {
  return cause('TooMany', `Too many: ${count}: must have at most ${limit} items`, path)
}

function validateObject(value: JsonObject, schema: JsonSchema, { path, old }: Place): Cause[] {
  const count = Object.keys(value).length
  const causes: Cause[] = []
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    causes.push(tooMany(count, schema.maxProperties, path))
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    causes.push(invalid(count, `should have at least ${schema.minProperties} properties`, path))
  }
  const child = (key: string) => (path ? `${path}.${key}` : key)
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(value, key)) causes.push(cause('Required', 'Required value', child(key)))
  }
  const before = isObject(old) ? old : undefined
  for (const [key, item] of Object.entries(value)) {
    if (causes.length >= MAX_CAUSES) break
    const sub = fieldSchema(schema, key)
    if (sub && item !== undefined) causes.push(...validateValue(item, sub, { path: child(key), old: before?.[key] }))
  }
  return causes
}

function validateLogic(value: Json, schema: JsonSchema, { path }: Place): Cause[] {
  const tried = (list: readonly JsonSchema[]) => list.map((each) => validateValue(value, each, { path }))
  const fewest = (results: Cause[][]) =>
    results.reduce((best, each) => (each.length < best.length ? each : best), results[0] ?? [])
  const causes: Cause[] = []
  if (schema.allOf) {
    const failed = tried(schema.allOf).filter((each) => each.length > 0)
    if (failed.length > 0) causes.push(unplaced(`"${path}" must validate all the schemas (allOf)`), ...failed.flat())
  }
  if (schema.anyOf) {
    const results = tried(schema.anyOf)
    if (results.every((each) => each.length > 0))
      causes.push(unplaced(`"${path}" must validate at least one schema (anyOf)`), ...fewest(results))
  }
  if (schema.oneOf) {
    const results = tried(schema.oneOf)
    const valid = results.filter((each) => each.length === 0).length
    const only = `"${path}" must validate one and only one schema (oneOf). Found`
    if (valid === 0) causes.push(unplaced(`${only} none valid`), ...fewest(results))
    else if (valid > 1) causes.push(unplaced(`${only} ${valid} valid alternatives`))
  }
  if (schema.not && validateValue(value, schema.not, { path }).length === 0)
    causes.push(unplaced(`"${path}" must not validate the schema (not)`))
  return causes
}
