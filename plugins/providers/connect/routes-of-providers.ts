import { isStatus } from '#core/kube/status.ts'
import { scanObjects } from '#core/http/resource/scan-objects.ts'
import type { ListCall } from '#core/http/resource/scan-objects.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { collectReferences } from '#schemas/kinds/references.ts'

/** Routes by the provider that they call; both as `namespace/name`. */
export type RoutesByProvider = ReadonlyMap<string, readonly string[]>

/** Routes that are read for a list. */
const MOST_ROUTES = 2_000

/** The routes that call providers, of those that the caller may list in the scope of a list; undefined if it may list none. */
export async function readRoutesByProvider(call: ListCall): Promise<RoutesByProvider | undefined> {
  const found = new Map<string, string[]>()
  let left = MOST_ROUTES
  try {
    await scanObjects(ModelRoute, call, { done: '' }, (object) => {
      addRoute(found, object as ModelRouteObject)
      return --left === 0 ? 'full' : 'more'
    })
  } catch (error) {
    if (isStatus(error, 403)) return undefined
    throw error
  }
  return found
}

function addRoute(found: Map<string, string[]>, route: ModelRouteObject): void {
  const name = `${route.metadata.namespace ?? ''}/${route.metadata.name}`
  const providers = collectReferences(ModelRoute.spec, route).filter(({ kind }) => kind === 'ModelProvider')
  for (const provider of new Set(providers.map((one) => `${one.namespace}/${one.name}`)))
    found.set(provider, [...(found.get(provider) ?? []), name])
}
