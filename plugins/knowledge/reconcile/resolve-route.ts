import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { spaceOf } from '#core/retrieval/embeddings.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer } from '#schemas/references.ts'

/** The route of an embedding model and the space of its vectors, or why it cannot be used. */
export type ResolvedRoute =
  | { readonly route: string; readonly space: string }
  | { readonly problem: { readonly reason: string; readonly message: string } }

/** Resolves `name` or `namespace/name` of a route for a knowledge base of a namespace, as the manager. */
export async function resolveRoute(
  cluster: Pick<KubeClient, 'get'>,
  from: string,
  reference: string,
): Promise<ResolvedRoute> {
  const slash = reference.indexOf('/')
  const namespace = slash === -1 ? from : reference.slice(0, slash)
  const name = reference.slice(slash + 1)
  const route = `${namespace}/${name}`
  const found = await findRoute(cluster, namespace, name)
  if (found === undefined)
    return { problem: { reason: 'NotFound', message: `ModelRoute ${route} (spec.embedding.route) does not exist.` } }
  if (!mayRefer(from, namespace, found.spec.allowedNamespaces))
    return {
      problem: {
        reason: 'NotAllowed',
        message: `ModelRoute ${route} (spec.embedding.route) does not allow the namespace ${from}.`,
      },
    }
  return { route, space: spaceOf(route, found.spec.model) }
}

async function findRoute(
  cluster: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
): Promise<ModelRouteObject | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get<ModelRouteObject>(ModelRoute, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
