import type { KubeObject } from '../json/kube-object.ts'
import type { Cause } from '../json/status.ts'
import { builtinComponent } from './built-in-schemas.ts'
import { RuleBudgetExceeded, resetSteps } from './cel-program.ts'
import { hasRules, validateRules } from './cel-rules.ts'
import type { JsonSchema } from './json-schema.ts'
import { validateListTypes } from './list-types.ts'
import { fillDefaults, pruneUnknown, resetFilled } from './structural-schema.ts'
import { VisitsExceeded, cause, resetVisits, validateValue } from './validate-value.ts'

/** A compiled structural schema. `apiVersion`, `kind` and `metadata` are always known fields. */
export interface CompiledSchema {
  /** Removes unknown fields, in a copy or in place (the argument is owned by the callee). */
  prune(object: KubeObject): KubeObject
  /** Fills defaults (the argument is owned by the callee). A null of a field that is not nullable is dropped, or kept for validation. */
  default(object: KubeObject, keepNulls?: boolean): KubeObject
  /** Causes, empty if valid. `old` makes it an update (CEL `oldSelf`). Rules are skipped if causes were `found` before. */
  validate(object: KubeObject, old?: KubeObject, found?: readonly Cause[]): Cause[]
  /** Dotted paths of unknown fields (`spec.x`, `spec.list[0].y`), in document order. */
  unknownFields(object: KubeObject): string[]
  /** The source schema: for OpenAPI, apply and explain. */
  readonly schema: JsonSchema
}

const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** The schema of a whole object: the fields of the kind, and those of every object. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const own = { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...schema.properties }
  return { ...schema, properties: { ...own, metadata: builtinComponent(OBJECT_META) } }
}

/** Compiles a structural schema: pruning, defaults, validation with CEL, unknown fields, list keys. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const known = objectSchema(schema)
  return {
    schema,
    prune(object) {
      pruneUnknown(object, known, { path: '', root: true })
      return object
    },
    default(object, keepNulls = false) {
      resetFilled()
      fillDefaults(object, schema, keepNulls)
      return object
    },
    validate: (object, old, found = []) => validate(object, schema, old, found),
    unknownFields(object) {
      const found: string[] = []
      pruneUnknown(object, known, { path: '', found, root: true })
      return found.sort()
    },
  }
}

function validate(
  object: KubeObject,
  schema: JsonSchema,
  old: KubeObject | undefined,
  found: readonly Cause[],
): Cause[] {
  return withinBudget(() => {
    const causes = [...validateValue(object, schema, { path: '', old }), ...newDuplicates(object, old, schema)]
    if (!hasRules(schema)) return causes
    if ([...found, ...causes].some((each) => BLOCKING.has(each.reason ?? '')))
      return [...causes, cause('Invalid', `Invalid value: null: ${UNCHECKED}`, '')]
    return [...causes, ...validateRules(object, schema, { path: '', old })]
  })
}

/** Validates with the steps of one write: a schema and an object may both be large, and rules may loop. */
export function withinBudget(validateAll: () => Cause[]): Cause[] {
  resetVisits()
  resetSteps()
  try {
    return validateAll()
  } catch (error) {
    if (error instanceof RuleBudgetExceeded || error instanceof VisitsExceeded)
      return [cause('Invalid', `Invalid value: "object": ${error.message}`, '')]
    throw error
  }
}

/** Duplicates in lists; a duplicate of the old object does not block an update. */
function newDuplicates(object: KubeObject, old: KubeObject | undefined, schema: JsonSchema): Cause[] {
  const found = validateListTypes(object, schema, '')
  if (found.length === 0 || !old) return found
  const before = new Set(validateListTypes(old, schema, '').map((each) => JSON.stringify(each)))
  return found.filter((each) => !before.has(JSON.stringify(each)))
}
