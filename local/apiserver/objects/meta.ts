import { randomBytes, randomUUID } from 'node:crypto'
import { badRequest } from '../json/api-error.ts'
import { equalJson } from '../json/json-value.ts'
import { timestamp } from '../json/kube-object.ts'
import type { KubeObject, ObjectMeta } from '../json/kube-object.ts'
import { forbiddenField, invalidValue } from '../json/status.ts'
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

/** Built-in kinds want a finalizer to be qualified, unless it is one of the cluster's own. */
function finalizerFaults(finalizers: readonly string[]): Cause[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  return finalizers.flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.includes(name)
      ? []
      : [invalidValue(`metadata.finalizers[${i}]`, name, why)],
  )
}

/** Faults of metadata that hold for every kind, names aside. */
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

const STRING_MAPS = ['labels', 'annotations']
const STRINGS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'selfLink',
]
const NUMBERS = ['generation', 'deletionGracePeriodSeconds']
const LISTS = ['finalizers', 'ownerReferences', 'managedFields']
const KNOWN = new Set([...STRING_MAPS, ...STRINGS, ...NUMBERS, ...LISTS])

/** The JSON type found and the Go type expected, when a field of metadata has the wrong type. */
function shapeFault(key: string, value: unknown): { found: unknown; expected: string } | undefined {
  const wrong = (found: unknown, expected: string) => ({ found, expected })
  if (STRINGS.includes(key)) return typeof value === 'string' ? undefined : wrong(value, 'string')
  if (NUMBERS.includes(key)) return typeof value === 'number' ? undefined : wrong(value, 'int64')
  if (LISTS.includes(key)) return Array.isArray(value) ? undefined : wrong(value, '[]string')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(value, 'map[string]string')
  const item = Object.values(value).find((each) => typeof each !== 'string')
  return item === undefined ? undefined : wrong(item, 'string')
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

/** The 400 of a body whose JSON types are not those of the kind. */
export function undecodable(kind: Kind, found: unknown, field: string, expected: string): Error {
  const why = `json: cannot unmarshal ${goType(found)} into Go ${field} of type ${expected}`
  return badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  )
}

/** Metadata as it came in, reduced to the known fields of the right types; the rest is reported as unknown. */
export function cleanMeta(given: unknown, kind: Kind): { meta: ObjectMeta; unknown: string[] } {
  const meta: ObjectMeta = { name: '' }
  if (given === undefined || given === null) return { meta, unknown: [] }
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw undecodable(kind, given, 'value', 'v1.ObjectMeta')
  }
  const unknown: string[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const fault = KNOWN.has(key) ? shapeFault(key, value) : undefined
    if (fault)
      throw undecodable(
        kind,
        fault.found,
        `struct field ObjectMeta.${kind.custom ? '' : 'metadata.'}${key}`,
        fault.expected,
      )
    if (!KNOWN.has(key)) unknown.push(`metadata.${key}`)
    else if (key !== 'selfLink' && !isEmpty(value)) Object.assign(meta, { [key]: value })
  }
  return { meta, unknown }
}

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789'

/** A name from a prefix: five random characters that make no words. */
export function generateName(prefix: string): string {
  return prefix.slice(0, 58) + [...randomBytes(5)].map((byte) => SUFFIX[byte % SUFFIX.length]).join('')
}

/** Fills what the server owns on a create. */
export function stampNew(object: KubeObject, kind: Kind, namespace: string, now: Date): void {
  const meta = object.metadata
  for (const key of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'resourceVersion', 'generation'] as const)
    delete meta[key]
  if (!meta.name && meta.generateName) meta.name = generateName(meta.generateName)
  if (kind.namespaced) meta.namespace = namespace
  else delete meta.namespace
  meta.uid = randomUUID()
  meta.creationTimestamp = timestamp(now)
  if (kind.rules.generation) meta.generation = 1
}

/** Sets keys of metadata; what is undefined goes. */
export function assign(metadata: ObjectMeta, kept: { readonly [key: string]: unknown }): void {
  for (const [key, value] of Object.entries(kept)) {
    if (value === undefined) Reflect.deleteProperty(metadata, key)
    else Object.assign(metadata, { [key]: value })
  }
}

/** Carries over what an update may not change, and says which of its changes are refused. */
export function carryMeta(object: KubeObject, old: KubeObject): Cause[] {
  const meta = object.metadata
  const given = meta.uid
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = old.metadata
  assign(meta, { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation })
  if (given && given !== uid) return [invalidValue('metadata.uid', given, 'field is immutable')]
  if (!deletionTimestamp) return []
  const known = new Set(old.metadata.finalizers)
  const added = (meta.finalizers ?? []).filter((finalizer) => !known.has(finalizer))
  if (added.length === 0) return []
  const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`
  return [forbiddenField('metadata.finalizers', why)]
}

/** True when two objects differ in nothing but version and the times of their managed fields. */
export function sameContent(a: KubeObject, b: KubeObject): boolean {
  return equalJson(comparable(a), comparable(b))
}

function comparable(object: KubeObject): KubeObject {
  const { resourceVersion: _version, managedFields, ...metadata } = object.metadata
  const untimed = managedFields?.map(({ time: _time, ...entry }) => entry)
  return { ...object, metadata: { ...metadata, ...(untimed ? { managedFields: untimed } : {}) } }
}

/** Content that counts for `metadata.generation`: all but metadata and status. */
export function sameSpec(a: KubeObject, b: KubeObject): boolean {
  const { metadata: _metadata, status: _status, ...left } = a
  const { metadata: _otherMetadata, status: _otherStatus, ...right } = b
  return equalJson(left, right)
}
