import { forbiddenField } from '../json/status.ts'
import { isObject } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import type { Cause } from '../json/status.ts'

/** Faults of keywords that the root of a schema cannot have. */
export function rootFaults(root: JsonObject, subresources: JsonObject[string], at: string): Cause[] {
  const nullable =
    root['nullable'] === true ? [forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root')] : []
  return [...nullable, ...statusRootFaults(root, subresources, at)]
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
