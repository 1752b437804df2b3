import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import type { ResourceRoutes } from '#core/http/resource/resource-routes.ts'
import { agentFields } from '#schemas/api/agent-views.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { examples } from './examples.ts'

/** Path, name and fields of agents in their routes. */
export const agentRoute = { path: '/agents', noun: 'Agent', examples: examples.replace, fields: agentFields } as const

/** Routes that read agents, and on request more than the objects. */
export function readEndpoints(includes: ResourceRoutes['includes']): readonly AnyEndpoint[] {
  return resourceRoutes(AgentDeployment, { verbs: ['list', 'get'], ...agentRoute, ...(includes && { includes }) })
}
