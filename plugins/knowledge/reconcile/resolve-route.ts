import type { KubeClient } from '#core/kube/client.ts'
import { spaceOf } from '#core/retrieval/embeddings.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer, splitReference } from '#schemas/kinds/references.ts'
import { modelOfRoute } from '#schemas/crds/route-targets.ts'

/** The route of an embedding model and the space of its vectors, or why it cannot be used. */
export type ResolvedRoute =
  | { readonly route: string; readonly space: string }
  | { readonly problem: { readonly reason: string; readonly message: string } }

/** Resolves `name` or `namespace/name` of a route for a knowledge base of a namespace, with the manager's rights. */
export async function resolveRoute(
  cluster: Pick<KubeClient, 'get'>,
  from: string,
  reference: string,
): Promise<ResolvedRoute> {
  const ref = splitReference(from, reference)
  const route = `${ref.namespace}/${ref.name}`
  const found = await findNamedObject<ModelRouteObject>(cluster, ModelRoute, ref)
  if (found === undefined)
    return { problem: { reason: 'NotFound', message: `ModelRoute ${route} (spec.embedding.route) does not exist.` } }
  if (!mayRefer(from, ref.namespace, found.spec.allowedNamespaces))
    return {
      problem: {
        reason: 'NotAllowed',
        message: `ModelRoute ${route} (spec.embedding.route) does not allow the namespace ${from}.`,
      },
    }
  const model = modelOfRoute(found.spec)
  if (model === undefined)
    return {
      problem: {
        reason: 'SeveralModels',
        message: `ModelRoute ${route} (spec.embedding.route) has targets with several models, whose vectors cannot be compared.`,
      },
    }
  return { route, space: spaceOf(route, model) }
}
