import { MODIFIED, conflict, failure } from '../json/api-error.ts'
import type { KubeObject } from '../json/kube-object.ts'
import type { Kind } from '../kinds/kind.ts'

/** Checks the uid of the body, a precondition: an absent object has none. */
export function sameIdentity(
  { metadata: { uid } }: KubeObject,
  actual: string | undefined,
  kind: Kind,
  name: string,
): void {
  if (!uid || uid === actual) return
  throw conflict(kind, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual ?? ''}`)
}

/** Optimistic concurrency. */
export function sameVersion(object: KubeObject, old: KubeObject, kind: Kind): void {
  const { resourceVersion } = object.metadata
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    throw failure({
      code: 500,
      message: `metadata.resourceVersion: ${JSON.stringify(resourceVersion)} is not a number`,
    })
  }
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(kind, old.metadata.name, MODIFIED)
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
}
