import { objectRefOf } from '#core/controllers/object-ref.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { MANAGER } from '#core/controllers/write-status.ts'
import type { KubeClient, KubeObject } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import type { FindGone } from './gone-gateways.ts'

/** What the removal of entries needs. */
export interface ReportRemoval {
  readonly cluster: Pick<KubeClient, 'patch'>
  readonly findGone: FindGone
}

const AGAIN_MS = 15_000

/** Removes the entries of gateways that have ended from `status.targets` of routes. Objects come from the watch: nothing is read for it. */
export function reportReconciler({ cluster, findGone }: ReportRemoval): Reconciler {
  return {
    name: 'modelroute-targets',
    resource: ModelRoute,
    concern: gatewaysOf,
    reconcile: async (_ref, object) => {
      const gateways = object === undefined ? [] : gatewaysOf(object)
      if (object === undefined || gateways.length === 0) return {}
      const gone = await findGone(gateways)
      if (gone.size > 0 && !(await remove(cluster, object as ModelRouteObject, gone))) return { requeueAfterMs: 1_000 }
      return gone.size === gateways.length ? {} : { requeueAfterMs: AGAIN_MS }
    },
  }
}

function gatewaysOf(object: KubeObject): readonly string[] {
  const { status } = object as ModelRouteObject
  return [...new Set(status?.targets?.map(({ gateway }) => gateway))].toSorted()
}

async function remove(
  cluster: Pick<KubeClient, 'patch'>,
  route: ModelRouteObject,
  gone: ReadonlySet<string>,
): Promise<boolean> {
  const left = (route.status?.targets ?? []).filter(({ gateway }) => !gone.has(gateway))
  const { resourceVersion } = route.metadata
  const body = { metadata: { resourceVersion }, status: { targets: left.length === 0 ? null : left } }
  const options = { subresource: 'status', fieldManager: MANAGER } as const
  try {
    await cluster.patch(ModelRoute, objectRefOf(route), { type: 'merge', body }, options)
    return true
  } catch (error) {
    if (isStatus(error, 404)) return true
    // The object has changed since.
    if (isStatus(error, 409)) return false
    throw error
  }
}
