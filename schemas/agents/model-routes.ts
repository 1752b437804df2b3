import type { AgentDeploymentSpec } from '../crds/agent-deployment.ts'
import { splitReference } from '../kinds/references.ts'

/** In a list of routes: every route that the namespace may use. */
export const EVERY_ROUTE = '*'

/** The routes that an agent may call by its spec, as `namespace/name`; may include {@link EVERY_ROUTE}. */
export function modelRoutesOf(namespace: string, spec: Pick<AgentDeploymentSpec, 'model'>): readonly string[] {
  if (spec.model === undefined) return []
  const { route, fallbackRoutes = [], allowRoutes = [] } = spec.model
  return [...new Set([route, ...fallbackRoutes, ...allowRoutes].map((one) => toFullName(namespace, one)))]
}

function toFullName(own: string, reference: string): string {
  if (reference === EVERY_ROUTE) return reference
  const { namespace, name } = splitReference(own, reference)
  return `${namespace}/${name}`
}
