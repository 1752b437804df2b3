import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import type { Kind } from '../kinds/kind.ts'
import { scaleFaults } from '../kinds/scale-paths.ts'
import { metaFaults } from './metadata-faults.ts'
import { strategyOf } from '../strategies/strategy-of-kind.ts'

/** Kinds whose metadata is validated on create only, and only if all other fields are valid. */
const META_LAST = new Set(['/events', 'policy/poddisruptionbudgets'])

/** Kinds whose finalizers are not validated by kind. */
const OWN_FINALIZERS = new Set(['coordination.k8s.io/leases', ...META_LAST])

/** Built-in objects: required fields of the status are not checked, and types only while decoding. */
const isChecked = ({ reason, field }: Cause): boolean =>
  reason !== 'FieldValueTypeInvalid' && (reason !== 'FieldValueRequired' || !field?.startsWith('status.'))

/** Messages of a status write of a custom object are relative to the status. */
const fromStatus = (cause: Cause): Cause => ({
  ...cause,
  message: String(cause.message).replace(/: status\.?(\S* in body )/, ': $1'),
})

/** True for a cause of the schema that the strategy reports as well: at the same field, or once for a whole list. */
function isCovered({ reason, field = '' }: Cause, own: Cause): boolean {
  if (own.reason === 'FieldValueRequired') return own.field === field
  return own.reason === 'FieldValueNotSupported' && reason === own.reason && field.startsWith(`${own.field}[`)
}

/** All causes of an object, after those that were found before. */
export function faults(
  object: KubeObject,
  kind: Kind,
  { found, old, subresource }: { found: readonly Cause[]; old?: KubeObject; subresource: string },
): Cause[] {
  // The strategy of definitions checks all their fields, with other paths.
  const validated = kind.storeId === DEFINITIONS ? [] : kind.schema.validate(object, old, found)
  const all = validated.filter((cause) => kind.custom || isChecked(cause))
  const ofSchema = kind.custom && subresource === 'status' ? all.map(fromStatus) : all
  const own = strategyOf(kind).validate?.(object, old) ?? []
  const another = kindFaults(object, kind)
  // An object of another kind is not validated by this schema, except for duplicates in lists.
  const judged =
    another.length > 0
      ? ofSchema.filter((each) => each.reason === 'FieldValueDuplicate')
      : ofSchema.filter((cause) => !own.some((each) => isCovered(cause, each)))
  const content = [...judged, ...own, ...scaleFaults(object, kind)]
  if (!old && content.length > 0 && META_LAST.has(kind.storeId)) return content
  const general = kind.custom || OWN_FINALIZERS.has(kind.storeId)
  return [...found, ...another, ...metaFaults(object.metadata, general), ...content]
}

/** The cause of a custom object of another kind. */
export function kindFaults(object: KubeObject, kind: Kind): Cause[] {
  if (object.kind === kind.kind) return []
  return [invalidValue('kind', object.kind, `must be ${kind.kind}`)]
}
