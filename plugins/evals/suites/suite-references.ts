import type { KubeClient } from '#core/kube/client.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { EvalSuiteObject } from '#schemas/crds/eval-suite.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import type { UnresolvedReference } from './suite-conditions.ts'

/** The route of the judge. */
export function judgeReferences({ metadata, spec }: EvalSuiteObject): readonly Reference[] {
  if (spec.judge === undefined) return []
  const { name } = spec.judge.route
  return [{ kind: 'ModelRoute', namespace: metadata.namespace ?? '', name, field: 'spec.judge.route' }]
}

/** The first of these routes that does not exist. */
export async function findMissingRoute(
  cluster: KubeClient,
  routes: readonly Reference[],
): Promise<UnresolvedReference | undefined> {
  for (const { namespace, name, field } of routes) {
    const found =
      isLabel(namespace) &&
      isName(name) &&
      (await cluster.get(ModelRoute, { namespace, name }).then(
        () => true,
        (error: unknown) => {
          if (isStatus(error, 404)) return false
          throw error
        },
      ))
    if (!found) return { reason: 'RouteNotFound', message: `${field}: there is no route ${namespace}/${name}.` }
  }
  return undefined
}
