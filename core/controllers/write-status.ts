import { canonicalJson } from '#core/json/canonical-json.ts'
import type { KubeClient, KubeObject, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { statusWritesOf } from './foreign-status.ts'
import { objectRefOf } from './object-ref.ts'

/** The field manager of what the manager writes. */
export const MANAGER = 'mesh-manager'

/**
 * Writes the status of an object if it differs. Returns false if the object was changed or deleted since it was read. Its successor of the
 * same name must not receive the status; the reconciler reads the object again.
 */
export async function writeStatus<Status extends object>(
  cluster: Pick<KubeClient, 'patch'>,
  resource: Resource,
  object: KubeObject<unknown, Status>,
  status: Status,
): Promise<boolean> {
  const before: object = object.status ?? {}
  if (canonicalJson(status) === canonicalJson(before)) return true
  // A merge patch removes a field only by null.
  const gone = Object.keys(before).filter((key) => !(key in status))
  const body = {
    metadata: { resourceVersion: object.metadata.resourceVersion },
    status: { ...Object.fromEntries(gone.map((key) => [key, null])), ...status },
  }
  const ref = objectRefOf(object)
  try {
    const written = await cluster.patch(
      resource,
      ref,
      { type: 'merge', body },
      { subresource: 'status', fieldManager: MANAGER },
    )
    const { uid, resourceVersion } = written.metadata
    if (uid !== undefined && resourceVersion !== undefined) statusWritesOf(cluster).set(uid, resourceVersion)
    return true
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 404)) return false
    throw error
  }
}
