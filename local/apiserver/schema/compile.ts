import type { CompiledSchema, JsonSchema } from '../contract.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Cause } from '../json/status.ts'
import { builtinComponent } from './builtin.ts'
import { hasRules, validateRules } from './cel.ts'
import { validateListTypes } from './list-types.ts'
import { fillDefaults, pruneUnknown } from './structural.ts'
import { cause, validateValue } from './validate.ts'

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

/** Makes a structural schema ready: pruning, defaults, validation with CEL, unknown fields, list keys. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const known: JsonSchema = {
    ...schema,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      ...schema.properties,
      metadata: builtinComponent(OBJECT_META),
    },
  }
  return {
    schema,
    prune(object) {
      pruneUnknown(object, known, { path: '', root: true })
      return object
    },
    default(object, keepNulls = false) {
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
  const causes = [...validateValue(object, schema, { path: '', old }), ...newDuplicates(object, old, schema)]
  if (!hasRules(schema)) return causes
  if ([...found, ...causes].some((each) => BLOCKING.has(each.reason ?? '')))
    return [...causes, cause('Invalid', `Invalid value: null: ${UNCHECKED}`, '')]
  return [...causes, ...validateRules(object, schema, { path: '', old })]
}

/** Duplicates in lists; one that the old object had too does not block an update of it. */
function newDuplicates(object: KubeObject, old: KubeObject | undefined, schema: JsonSchema): Cause[] {
  const found = validateListTypes(object, schema, '')
  if (found.length === 0 || !old) return found
  const before = new Set(validateListTypes(old, schema, '').map((each) => JSON.stringify(each)))
  return found.filter((each) => !before.has(JSON.stringify(each)))
}
