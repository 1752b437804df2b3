import { isObject } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import { required } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { withinBudget } from '../schema/compile-schema.ts'
import { defaultFaults } from './default-faults.ts'
import { ruleFaults } from './rule-faults.ts'
import { schemaFaults } from './schema-faults.ts'
import { sizeFaults } from './schema-size.ts'
import { structuralFaults } from './structural-faults.ts'
import { rootFaults } from './root-faults.ts'

/** Faults of the schema of one version. */
export function versionSchemaFaults({ schema, subresources }: JsonObject, path: string): Cause[] {
  const root = isObject(schema) ? schema['openAPIV3Schema'] : undefined
  if (!isObject(root)) return [required(path.replace(/validation$/, 'versions[0].schema').concat('.openAPIV3Schema'))]
  const at = `${path}.openAPIV3Schema`
  const tooLarge = sizeFaults(root, at)
  if (tooLarge.length > 0) return tooLarge
  const keywords = schemaFaults(root, at)
  // A schema with other keywords has no structure to check.
  const isForeign = keywords.some(({ message = '' }) => message.endsWith('is not supported'))
  const structural = isForeign ? [] : structuralFaults(root, at)
  const found = [...rootFaults(root, subresources, at), ...structural, ...keywords]
  // A default or a rule has a meaning only in a valid schema.
  if (found.length > 0) return found
  const defaults = withinBudget(() => defaultFaults(root, at))
  return defaults.length > 0 ? defaults : ruleFaults(root, at)
}
