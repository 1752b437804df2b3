import type { KubeClient, KubeObject, ObjectRef } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { workloadResources } from './workload-objects.ts'

/**
 * Writes a status at the resourceVersion that it was computed from: two stale writers would overwrite each other endlessly. A newer
 * version triggers a new write.
 */
export async function writeWorkloadStatus(
  cluster: KubeClient,
  ref: ObjectRef,
  before: KubeObject,
  status: object,
): Promise<void> {
  if (JSON.stringify(sorted(status)) === JSON.stringify(sorted(before.status ?? {}))) return
  const resource = before.kind === 'Job' ? workloadResources.jobs : workloadResources.deployments
  const { resourceVersion } = before.metadata
  const body = { metadata: { resourceVersion }, status }
  await cluster.patch(resource, ref, { type: 'merge', body }, { subresource: 'status' }).catch((error: unknown) => {
    if (!isStatus(error, 409) && !isStatus(error, 404)) throw error
  })
}

function sorted(value: object): unknown {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
