import { randomBytes, randomUUID } from 'node:crypto'
import { equalJson } from '../json/json-value.ts'
import { timestamp } from '../json/kube-object.ts'
import type { KubeObject, ObjectMeta } from '../json/kube-object.ts'
import { forbiddenField, invalidValue } from '../json/status.ts'
import type { Cause } from '../json/status.ts'
import type { Kind } from '../kinds/kind.ts'

const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789'

/** A name from a prefix and five random characters without vowels. */
export function generateName(prefix: string): string {
  return prefix.slice(0, 58) + [...randomBytes(5)].map((byte) => SUFFIX[byte % SUFFIX.length]).join('')
}

/** Sets the server-owned metadata of a new object. */
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

/** Sets keys of metadata; an undefined value deletes the key. */
export function assign(metadata: ObjectMeta, kept: { readonly [key: string]: unknown }): void {
  for (const [key, value] of Object.entries(kept)) {
    if (value === undefined) Reflect.deleteProperty(metadata, key)
    else Object.assign(metadata, { [key]: value })
  }
}

/** Restores metadata that an update must not change; returns the causes of refused changes. */
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
  const why = `no new finalizers can be added if the object is being deleted: ${added.join(', ')}`
  return [forbiddenField('metadata.finalizers', why)]
}

/** True if two objects are equal except for the version and the times of their managed fields. */
export function sameContent(a: KubeObject, b: KubeObject): boolean {
  return equalJson(comparable(a), comparable(b))
}

function comparable(object: KubeObject): KubeObject {
  const { resourceVersion: _version, managedFields, ...metadata } = object.metadata
  const untimed = managedFields?.map(({ time: _time, ...entry }) => entry)
  return { ...object, metadata: { ...metadata, ...(untimed ? { managedFields: untimed } : {}) } }
}

/** True if two objects are equal except for metadata and status: `metadata.generation` is not incremented. */
export function sameSpec(a: KubeObject, b: KubeObject): boolean {
  const { metadata: _metadata, status: _status, ...left } = a
  const { metadata: _otherMetadata, status: _otherStatus, ...right } = b
  return equalJson(left, right)
}
