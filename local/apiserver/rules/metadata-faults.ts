import type { ObjectMeta } from '../json/kube-object.ts'
import { invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import type { Kind } from '../kinds/kind.ts'
import { keyFaults, labelValueFaults, nameFaults } from '../kinds/names.ts'

const ANNOTATION_BYTES = 256 * 1024

const isVersion = (text: string | undefined) => /^[^/]+(\/[^/]+)?$/.test(text ?? '')

function ownerFaults({ ownerReferences = [] }: ObjectMeta): Cause[] {
  const at = 'metadata.ownerReferences'
  const faults = ownerReferences.flatMap((owner) => [
    ...(isVersion(owner.apiVersion)
      ? []
      : [invalidValue(`${at}.apiVersion`, owner.apiVersion, 'version must not be empty')]),
    ...(['kind', 'name', 'uid'] as const)
      .filter((key) => !owner[key])
      .map((key) => invalidValue(`${at}.${key}`, '', 'must not be empty')),
  ])
  const controllers = ownerReferences.filter((owner) => owner.controller)
  if (controllers.length < 2) return faults
  const [first, second] = controllers.map((owner) => `${owner.kind}/${owner.name}`)
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`
  return [...faults, invalidValue(at, ownerReferences, why)]
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion']

/** Faults of finalizers of built-in kinds: a name must be qualified, unless it is a standard one. */
function finalizerFaults(finalizers: readonly string[]): Cause[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  return finalizers.flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.includes(name)
      ? []
      : [invalidValue(`metadata.finalizers[${i}]`, name, why)],
  )
}

/** Faults of metadata of every kind, except the name. */
export function metaFaults(meta: ObjectMeta, custom: boolean): Cause[] {
  const labels = Object.entries(meta.labels ?? {}).flatMap(([key, value]) => [
    ...keyFaults('metadata.labels', [key]),
    ...labelValueFaults(value, 'metadata.labels'),
  ])
  const annotations = keyFaults(
    'metadata.annotations',
    Object.keys(meta.annotations ?? {}).map((key) => key.toLowerCase()),
  )
  const bytes = Object.entries(meta.annotations ?? {}).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  const long: Cause[] =
    bytes > ANNOTATION_BYTES
      ? [
          {
            reason: 'FieldValueTooLong',
            message: `Too long: may not be more than ${ANNOTATION_BYTES} bytes`,
            field: 'metadata.annotations',
          },
        ]
      : []
  return [
    ...labels,
    ...annotations,
    ...long,
    ...keyFaults('metadata.finalizers', meta.finalizers ?? []),
    ...(custom ? [] : finalizerFaults(meta.finalizers ?? [])),
    ...ownerFaults(meta),
  ]
}

/** Faults of the name of an object to create. */
export function createNameFaults(meta: Partial<ObjectMeta>, rule: Kind['rules']['name']): Cause[] {
  if (meta.name) return nameFaults(meta.name, rule).map((why) => invalidValue('metadata.name', meta.name, why))
  if (!meta.generateName) {
    return [
      {
        reason: 'FieldValueRequired',
        message: 'Required value: name or generateName is required',
        field: 'metadata.name',
      },
    ]
  }
  return nameFaults(`${meta.generateName}a`, rule).map((why) =>
    invalidValue('metadata.generateName', meta.generateName, why),
  )
}
