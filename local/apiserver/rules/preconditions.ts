import { MODIFIED, conflict, failure } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'
import { objectKey } from '../storage/stored.ts'

/** A uid in the body is a precondition, checked before anything else; an object that is not there has none. */
export function sameIdentity(
  { metadata: { uid } }: KubeObject,
  actual: string | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { kind, dryRun }: { kind: Kind; dryRun: boolean },
): void {
  if (!uid || uid === actual) return
  const folder = kind.custom ? kind.storeId : kind.storeId === '/services' ? 'services/specs' : kind.resource
  // A dry run asks before the key has the root of all keys.
  const key = `${dryRun ? '' : '/registry'}/${folder}/${objectKey(kind.namespaced ? namespace : '', name)}`
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual ?? ''}`
  throw conflict(
    kind,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  )
}

/** Optimistic concurrency. */
export function sameVersion(object: KubeObject, old: KubeObject, kind: Kind): void {
  const { resourceVersion } = object.metadata
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    throw failure({
      code: 500,
      message: `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`,
    })
  }
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(kind, old.metadata.name, MODIFIED)
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
}
