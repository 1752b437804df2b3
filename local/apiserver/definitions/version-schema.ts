import { isObject } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import { forbiddenField, required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { withinBudget } from '../schema/compile-schema.ts'
import { defaultFaults } from './default-faults.ts'
import { ruleFaults } from './rule-faults.ts'
import { schemaFaults } from './schema-faults.ts'
import { sizeFaults } from './schema-size.ts'
import { structuralFaults } from './structural-faults.ts'

/** Faults of the schema of one version. */
export function versionSchemaFaults({ schema, subresources }: JsonObject, path: string): Cause[] {
  const root = isObject(schema) ? schema['openAPIV3Schema'] : undefined
  if (!isObject(root)) return [required(path.replace(/validation$/, 'versions[0].schema').concat('.openAPIV3Schema'))]
  const at = `${path}.openAPIV3Schema`
  const tooLarge = sizeFaults(root, at)
  if (tooLarge.length > 0) return tooLarge
  const rootFaults =
    root['nullable'] === true ? [forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root')] : []
  const keywords = schemaFaults(root, at)
  // A schema with other keywords has no structure to check.
  const isForeign = keywords.some(({ message = '' }) => message.endsWith('is not supported'))
  const structural = isForeign ? [] : structuralFaults(root, at)
  const found = [...rootFaults, ...statusRootFaults(root, subresources, at), ...structural, ...keywords]
  // A default or a rule has a meaning only in a valid schema.
  if (found.length > 0) return found
  const defaults = withinBudget(() => defaultFaults(root, at))
  return defaults.length > 0 ? defaults : ruleFaults(root, at)
}

/** With a status subresource, the root has no restriction that spans the status and other fields. */
function statusRootFaults(root: JsonObject, subresources: JsonObject[string], at: string): Cause[] {
  if (!isObject(subresources) || !isObject(subresources['status'])) return []
  const keys = [
    'allOf',
    'anyOf',
    'oneOf',
    'not',
    'enum',
    'default',
    'additionalProperties',
    'maxProperties',
    'minProperties',
  ]
  if (!keys.some((key) => root[key] !== undefined)) return []
  const why =
    'only fields that do not combine values are allowed at the root of the schema if the status subresource is enabled'
  return [{ reason: 'FieldValueInvalid', message: `Invalid value: {}: ${why}`, field: at }]
}
