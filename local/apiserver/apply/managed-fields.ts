import type { Json } from '../json/json-value.ts'
import type { ManagedFieldsEntry } from '../json/kube-object.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { emptySet, fromFieldsV1, insert, isEmpty, toFieldsV1, without } from './field-set.ts'
import type { FieldSet } from './field-set.ts'

/** Fields of one manager. */
export interface OwnedFields {
  readonly set: FieldSet
  readonly entry: ManagedFieldsEntry
}

/** Managers by identity: Apply entries per subresource, Update entries per subresource and version. */
export type Managers = Map<string, OwnedFields>

/** The identity of a manager. */
export function managerId({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify([manager ?? '', operation, operation === 'Apply' ? '' : apiVersion, subresource ?? ''])
}

/** Reads `metadata.managedFields`. */
export function decodeManaged(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  const managers: Managers = new Map()
  for (const { fieldsV1, ...entry } of entries ?? [])
    managers.set(managerId(entry), { set: fromFieldsV1(fieldsV1), entry })
  return managers
}

/** Encodes `metadata.managedFields` in kube-apiserver's order: Apply entries first, then by time and name. */
export function encodeManaged(managers: Managers): ManagedFieldsEntry[] {
  const key = ({ operation, time, manager, apiVersion, subresource }: ManagedFieldsEntry) => [
    operation,
    time,
    manager,
    apiVersion,
    subresource,
  ]
  const order = (a: ManagedFieldsEntry, b: ManagedFieldsEntry) => {
    const [left, right] = [key(a), key(b)]
    const at = left.findIndex((part, i) => (part ?? '') !== (right[i] ?? ''))
    return at < 0 ? 0 : (left[at] ?? '') < (right[at] ?? '') ? -1 : 1
  }
  return [...managers.values()]
    .filter(({ set }) => !isEmpty(set))
    .map(({ set, entry }): ManagedFieldsEntry => {
      const { manager, operation, apiVersion, time, subresource } = entry
      const head = {
        ...(manager === undefined ? {} : { manager }),
        ...(operation ? { operation } : {}),
        ...(apiVersion ? { apiVersion } : {}),
      }
      const tail = subresource ? { subresource } : {}
      return { ...head, ...(time ? { time } : {}), fieldsType: 'FieldsV1', fieldsV1: toFieldsV1(set), ...tail }
    })
    .sort(order)
}

const NEVER_OWNED: readonly (readonly string[])[] = [
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
]

const setOf = (list: readonly (readonly string[])[]): FieldSet => {
  const set = emptySet()
  for (const path of list) insert(set, path)
  return set
}

/** Removes fields that have no owner: identity and the fields that the server sets. */
export function withoutMeta(set: FieldSet): FieldSet {
  const [shallow, deep] = [setOf(NEVER_OWNED.slice(0, 3)), setOf(NEVER_OWNED.slice(3))]
  const rest = without(set, deep)
  for (const member of shallow.members) rest.members.delete(member)
  const metadata = rest.children.get('f:metadata')
  if (metadata && isEmpty(metadata)) rest.children.delete('f:metadata')
  return rest
}

/** Metadata that a status write of a built-in kind does not change. */
const KEPT_BY_STATUS: { readonly [type: string]: readonly (readonly string[])[] } = {
  Deployment: [['f:metadata', 'f:labels']],
  Pod: [['f:metadata', 'f:ownerReferences']],
}

/** Removes fields that the endpoint does not write: the status of the main resource; for `status` the spec, and the metadata of custom objects. */
export function withoutReset(set: FieldSet, subresource: string, schema: JsonSchema): FieldSet {
  if (subresource === '') return without(set, setOf([['f:status']]))
  if (subresource !== 'status') return set
  const builtIn = schema['x-go-type']
  if (builtIn === undefined) return without(set, setOf([['f:spec'], ['f:metadata']]))
  return without(set, setOf([['f:spec'], ...(KEPT_BY_STATUS[builtIn] ?? [])]))
}

/** True for an empty `metadata.managedFields`, or one empty entry: a request to drop all owners. */
export function resetsManaged(given: Json | undefined): boolean {
  if (!Array.isArray(given)) return false
  return given.length === 0 || (given.length === 1 && JSON.stringify(given[0]) === '{}')
}
