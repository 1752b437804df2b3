import { equalJson, isObject } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import type { Cause } from '../json/status.ts'
import { celName } from './cel-names.ts'
import { RuleBudgetExceeded, evaluate, reasonOf, spend } from './cel-program.ts'
import type { CelValue } from './cel-program.ts'
import type { JsonSchema } from './json-schema.ts'
import { correlated, fieldSchema } from './structural-schema.ts'
import { cause } from './validate-value.ts'
import type { Place } from './validate-value.ts'

type Rule = NonNullable<JsonSchema['x-kubernetes-validations']>[number]
const ruled = new WeakMap<JsonSchema, boolean>()

/** True when a schema has a rule anywhere. */
export function hasRules(schema: JsonSchema): boolean {
  const known = ruled.get(schema)
  if (known !== undefined) return known
  // The schema of schemas contains itself.
  ruled.set(schema, false)
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

/** Causes of the x-kubernetes-validations of a value and of all values in it; throws `RuleBudgetExceeded`. */
export function validateRules(value: Json | undefined, schema: JsonSchema, place: Place): Cause[] {
  if (value === undefined || value === null) return []
  const { path, old } = place
  const causes = ownRules(value, schema, place)
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

interface Checked {
  readonly value: Json
  readonly schema: JsonSchema
  readonly place: Place
  /** The value and the old one, converted once for all rules of the schema. */
  readonly context: { readonly self: CelValue; readonly oldSelf: CelValue }
}

function ownRules(value: Json, schema: JsonSchema, place: Place): Cause[] {
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return []
  const { old } = place
  const context = { self: toCel(value, schema), oldSelf: old === undefined ? null : toCel(old, schema) }
  return rules.flatMap((rule) => checkRule(rule, { value, schema, place, context }) ?? [])
}

function checkRule(rule: Rule, { value, schema, place, context }: Checked): Cause | undefined {
  const { path, old } = place
  const transition = /\boldSelf\b/.test(rule.rule)
  if (transition && old === undefined) return undefined
  const type = schema.type ?? 'object'
  let allowed: unknown
  try {
    allowed = evaluate(rule.rule, context)
  } catch (error) {
    if (error instanceof RuleBudgetExceeded) throw error
    const why = `${reasonOf(error)} evaluating rule: ${rule.message ?? rule.rule}`
    return cause('Invalid', `Invalid value: ${JSON.stringify(type)}: ${why}`, path)
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
    const message: unknown = evaluate(rule.messageExpression, context)
    return typeof message === 'string' && message.trim() !== '' && !message.includes('\n') ? message : fallback
  } catch (error) {
    if (error instanceof RuleBudgetExceeded) throw error
    return fallback
  }
}

/** Integers by schema are CEL ints, other numbers doubles. Names of fields are escaped. */
function toCel(value: Json, schema: JsonSchema | undefined): CelValue {
  spend(1)
  if (typeof value === 'number') {
    const integer = schema?.type === 'integer' || schema?.['x-kubernetes-int-or-string'] || schema?.type === undefined
    return integer && Number.isSafeInteger(value) ? BigInt(value) : value
  }
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items))
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([key, item]): [string, CelValue][] =>
    item === undefined || (item === null && !fieldSchema(schema, key)?.nullable)
      ? []
      : [[schema?.properties ? celName(key) : key, toCel(item, fieldSchema(schema, key))]],
  )
  return Object.fromEntries(entries)
}
