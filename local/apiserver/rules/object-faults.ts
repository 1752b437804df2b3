import type { KubeObject } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import type { Kind } from '../kinds/kind.ts'
import { scaleFaults } from '../kinds/scale-paths.ts'
import { metaFaults } from './metadata-faults.ts'
import { strategyOf } from './strategy.ts'

/** Kinds that do not look at their metadata: the general rules do, on a create once all else is good. */
const META_LAST = new Set(['/events', 'policy/poddisruptionbudgets'])

/** Kinds whose validation leaves finalizers to the general rules. */
const OWN_FINALIZERS = new Set(['coordination.k8s.io/leases', ...META_LAST])

/** Of a built-in object nobody checks whether its controller's status is whole, nor, past decoding, any type. */
const isChecked = ({ reason, field }: Cause): boolean =>
  reason !== 'FieldValueTypeInvalid' && (reason !== 'FieldValueRequired' || !field?.startsWith('status.'))

/** A write of the status of a custom object looks at nothing else, and its texts begin there. */
const fromStatus = (cause: Cause): Cause => ({
  ...cause,
  message: String(cause.message).replace(/: status\.?(\S* in body )/, ': $1'),
})

/** Everything that is wrong with an object, after what was found before. */
export function faults(
  object: KubeObject,
  kind: Kind,
  { found, old, subresource }: { found: readonly Cause[]; old?: KubeObject; subresource: string },
): Cause[] {
  const all = kind.schema.validate(object, old, found).filter((cause) => kind.custom || isChecked(cause))
  const ofSchema = kind.custom && subresource === 'status' ? all.map(fromStatus) : all
  const own = strategyOf(kind).validate?.(object, old) ?? []
  const another = kindFaults(object, kind)
  // An object of another kind is not held against this one's schema, its lists apart.
  const judged =
    another.length > 0
      ? ofSchema.filter((each) => each.reason === 'FieldValueDuplicate')
      : ofSchema.filter(
          ({ field }) => !own.some((each) => each.reason === 'FieldValueRequired' && each.field === field),
        )
  const content = [...judged, ...own, ...scaleFaults(object, kind)]
  if (!old && content.length > 0 && META_LAST.has(kind.storeId)) return content
  const general = kind.custom || OWN_FINALIZERS.has(kind.storeId)
  return [...found, ...another, ...metaFaults(object.metadata, general), ...content]
}

/** A custom object of another kind gets as far as validation. */
export function kindFaults(object: KubeObject, kind: Kind): Cause[] {
  if (object.kind === kind.kind) return []
  return [invalidValue('kind', object.kind, `must be ${kind.kind}`)]
}
