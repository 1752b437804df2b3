import { equalJson } from '../json/json-value.ts'
import type { Json } from '../json/json-value.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { hasRules, validateRules } from '../schema/cel-rules.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { pruneUnknown } from '../schema/structural-schema.ts'
import { validateValue } from '../schema/validate-value.ts'
import { partsOf } from './schema-paths.ts'
import type { RawSchema } from './schema-paths.ts'

/** Defaults of one version in total, as JSON: each is copied into every object that lacks the field. */
export const MAX_DEFAULT_BYTES = 256 * 1024

/** Faults of defaults: each must be valid, without unknown fields. The schema is structural. */
export function defaultFaults(root: RawSchema, path: string): Cause[] {
  const budget = { bytes: MAX_DEFAULT_BYTES }
  return faultsBelow(root, path, budget)
}

function faultsBelow(schema: RawSchema, path: string, budget: { bytes: number }): Cause[] {
  const own = schema['default'] === undefined ? [] : ofDefault(schema, schema['default'], path, budget)
  const parts = partsOf(schema, path).filter(({ role }) => role !== 'values')
  return [...own, ...parts.flatMap((each) => faultsBelow(each.schema, each.path, budget))]
}

function ofDefault(schema: RawSchema, value: Json, path: string, budget: { bytes: number }): Cause[] {
  const at = `${path}.default`
  budget.bytes -= JSON.stringify(value).length
  if (budget.bytes < 0)
    return [invalidValue(at, '', `the defaults of a version may have at most ${MAX_DEFAULT_BYTES} bytes`)]
  const typed: JsonSchema = schema
  const pruned = structuredClone(value)
  pruneUnknown(pruned, typed, { path: '', root: false })
  const unknown = equalJson(pruned, value) ? [] : [invalidValue(at, value, 'must not have unknown fields')]
  // Messages name the field within the default, causes its place in the definition.
  const below = (cause: Cause): Cause => ({ ...cause, field: cause.field === '<nil>' ? at : `${at}.${cause.field}` })
  const wrong = validateValue(value, typed, { path: '' }).map(below)
  if (wrong.length > 0 || !hasRules(typed)) return [...unknown, ...wrong]
  return [...unknown, ...validateRules(value, typed, { path: '' }).map(below)]
}
