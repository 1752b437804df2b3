import { objectSchema } from '../apply/server-side-apply.ts'
import { typedFaults } from '../apply/typed-value-faults.ts'
import { equalJson } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'
import { assign, sameSpec } from './metadata.ts'

/** Only a status write may come in an object whose fields cannot be typed; whose they are is then forgotten. */
export function isForeign(object: KubeObject, kind: Kind, subresource: string): boolean {
  if (!kind.custom || subresource !== 'status') return false
  return object.kind !== kind.kind || typedFaults(object, objectSchema(kind.schema.schema)).length > 0
}

/** What a status write takes besides the status: nothing of a custom object, the metadata of a built-in one. */
function statusWrite(kept: KubeObject, { metadata }: KubeObject, kind: Kind): KubeObject {
  if (kind.custom) return kept
  const { labels, ownerReferences } = kept.metadata
  const next = { ...kept, metadata: { ...metadata } }
  if (kind.storeId === 'apps/deployments') assign(next.metadata, { labels })
  if (kind.storeId === '/pods') assign(next.metadata, { ownerReferences })
  return next
}

/** What the path may change: `status` alone, the finalizers of a namespace, or everything but the status. */
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

/** True for a change that `metadata.generation` counts. */
export function bumps(object: KubeObject, old: KubeObject, kind: Kind): boolean {
  if (!kind.subresources.includes('status') && !equalJson(object['status'], old['status'])) return true
  if (!sameSpec(object, old)) return true
  // A deployment's annotations are part of what its controller acts on.
  return kind.storeId === 'apps/deployments' && !equalJson(object.metadata.annotations, old.metadata.annotations)
}
