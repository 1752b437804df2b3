import { Environment } from '@marcbachmann/cel-js'
import type { ParseResult } from '@marcbachmann/cel-js'
import { equalJson, isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { Cause } from '../json/status.ts'
import type { JsonSchema } from './json-schema.ts'
import { correlated, fieldSchema } from './structural-schema.ts'
import { cause, compiledPattern } from './validate-value.ts'
import type { Place } from './validate-value.ts'

type Rule = NonNullable<JsonSchema['x-kubernetes-validations']>[number]
type CelValue = string | number | bigint | boolean | null | CelValue[] | { [key: string]: CelValue }

const environment = new Environment({ homogeneousAggregateLiterals: false })
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerFunction('string.matchesRe2(string): bool', (text: string, pattern: string) =>
    compiledPattern(pattern).matcher(text).find(),
  )
const programs = new Map<string, ParseResult>()

const ruled = new WeakMap<JsonSchema, boolean>()

/** True when a schema has a rule anywhere. */
export function hasRules(schema: JsonSchema): boolean {
  const known = ruled.get(schema)
  if (known !== undefined) return known
  const { properties = {}, items, additionalProperties: values } = schema
  const parts = [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(typeof values === 'object' ? [values] : []),
  ]
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || parts.some(hasRules)
  ruled.set(schema, found)
  return found
}

/** Causes of the x-kubernetes-validations of a value and of all values in it. */
export function validateRules(value: Json | undefined, schema: JsonSchema, place: Place): Cause[] {
  if (value === undefined || value === null) return []
  const { path, old } = place
  const causes = (schema['x-kubernetes-validations'] ?? []).flatMap(
    (rule) => checkRule(rule, { value, schema, place }) ?? [],
  )
  if (Array.isArray(value)) {
    const { items } = schema
    return items
      ? [
          ...causes,
          ...value.flatMap((item, i) =>
            validateRules(item, items, { path: `${path}[${i}]`, old: correlated(schema, old, item) }),
          ),
        ]
      : causes
  }
  if (!isObject(value)) return causes
  const before = isObject(old) ? old : undefined
  for (const [key, item] of Object.entries(value)) {
    const sub = fieldSchema(schema, key)
    if (sub) causes.push(...validateRules(item, sub, { path: path ? `${path}.${key}` : key, old: before?.[key] }))
  }
  return causes
}

function checkRule(
  rule: Rule,
  { value, schema, place }: { value: Json; schema: JsonSchema; place: Place },
): Cause | undefined {
  const { path, old } = place
  const transition = /\boldSelf\b/.test(rule.rule)
  if (transition && old === undefined) return undefined
  const type = schema.type ?? 'object'
  const context = { self: toCel(value, schema), oldSelf: old === undefined ? null : toCel(old, schema) }
  let allowed: unknown
  try {
    allowed = program(rule.rule)(context)
  } catch (error) {
    const reason = error instanceof Error ? firstLine(error) : String(error)
    return cause(
      'Invalid',
      `Invalid value: ${JSON.stringify(type)}: ${reason} evaluating rule: ${rule.message ?? rule.rule}`,
      path,
    )
  }
  // An unchanged value is not validated on update, unless the rule uses oldSelf.
  if (allowed === true || (!transition && old !== undefined && equalJson(value, old))) return undefined
  return refusal(rule, { field: `${path}${rule.fieldPath ?? ''}`, value, type, text: messageOf(rule, context) })
}

function refusal(
  rule: Rule,
  { field, value, type, text }: { field: string; value: Json; type: string; text: string },
): Cause {
  const shown = type === 'object' || type === 'array' ? '' : `: ${JSON.stringify(value)}`
  switch (rule.reason) {
    case 'FieldValueRequired':
      return cause('Required', `Required value: ${text}`, field)
    case 'FieldValueForbidden':
      return cause('Forbidden', `Forbidden: ${text}`, field)
    case 'FieldValueDuplicate':
      return cause('Duplicate', `Duplicate value${shown}`, field)
    default:
      return cause('Invalid', `Invalid value${shown}: ${text}`, field)
  }
}

function messageOf(rule: Rule, context: { self: CelValue; oldSelf: CelValue }): string {
  const fallback = rule.message?.trim() || `failed rule: ${rule.rule.trim()}`
  if (!rule.messageExpression) return fallback
  try {
    const message: unknown = program(rule.messageExpression)(context)
    return typeof message === 'string' && message.trim() !== '' && !message.includes('\n') ? message : fallback
  } catch {
    return fallback
  }
}

/** Parses once. `matches` runs in RE2: the library's own uses a JavaScript regular expression (X2). */
function program(expression: string): ParseResult {
  let parsed = programs.get(expression)
  if (!parsed) {
    const literalOrCall = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\.matches\(/g
    const text = expression.replace(literalOrCall, (_match, literal: string | undefined) => literal ?? '.matchesRe2(')
    programs.set(expression, (parsed = environment.parse(text)))
  }
  return parsed
}

/** Integers by schema are CEL ints, other numbers doubles. */
function toCel(value: Json, schema: JsonSchema | undefined): CelValue {
  if (typeof value === 'number') {
    const integer = schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] || schema?.type === undefined
    return integer && Number.isSafeInteger(value) ? BigInt(value) : value
  }
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, item]): [string, CelValue][] =>
    item === undefined || (item === null && !fieldSchema(schema, key)?.nullable)
      ? []
      : [[key, toCel(item, fieldSchema(schema, key))]],
  )
  return Object.fromEntries(entries)
}

function firstLine(error: Error): string {
  const text = error.message.split('\n')[0] ?? ''
  return text.startsWith('No such key') ? `no such key${text.slice('No such key'.length)}` : text
}
