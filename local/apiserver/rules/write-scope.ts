import { typedFaults } from '../apply/typed-value-faults.ts'
import { equalJson } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'
import { objectSchema } from '../schema/compile-schema.ts'
import { assign, sameSpec } from './metadata.ts'

/** True for a status write of a custom object that does not fit the schema: it drops the managed fields. */
export function isForeign(object: KubeObject, kind: Kind, subresource: string): boolean {
  if (!kind.custom || subresource !== 'status') return false
  return object.kind !== kind.kind || typedFaults(object, objectSchema(kind.schema.schema)).length > 0
}

/** The object that a status write is based on: of built-in kinds it takes the metadata, of custom kinds only the status. */
function statusWrite(kept: KubeObject, { metadata }: KubeObject, kind: Kind): KubeObject {
  if (kind.custom) return kept
  const { labels, ownerReferences } = kept.metadata
  const next = { ...kept, metadata: { ...metadata } }
  if (kind.storeId === 'apps/deployments') assign(next.metadata, { labels })
  if (kind.storeId === '/pods') assign(next.metadata, { ownerReferences })
  return next
}

/** Limits a write to its endpoint: `status` only, the finalizers of a namespace, or all but the status. */
export function scopeTo(subresource: string, object: KubeObject, old: KubeObject, kind: Kind): KubeObject {
  const { managedFields } = object.metadata
  const kept = { ...old, metadata: { ...old.metadata, ...(managedFields ? { managedFields } : {}) } }
  if (subresource === 'status') return withKey(statusWrite(kept, object, kind), 'status', object)
  if (subresource === 'finalize') return withKey(kept, 'spec', object)
  return kind.subresources.includes('status') ? withKey({ ...object }, 'status', old) : object
}

function withKey(target: KubeObject, key: 'status' | 'spec', source: KubeObject): KubeObject {
  if (source[key] === undefined) delete target[key]
  else target[key] = source[key]
  return target
}

/** True for a change that increments `metadata.generation`. */
export function bumps(object: KubeObject, old: KubeObject, kind: Kind): boolean {
  if (!kind.subresources.includes('status') && !equalJson(object['status'], old['status'])) return true
  if (!sameSpec(object, old)) return true
  // Annotations of a deployment count too: its controller copies them.
  return kind.storeId === 'apps/deployments' && !equalJson(object.metadata.annotations, old.metadata.annotations)
}
