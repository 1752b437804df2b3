import type { FastifyPluginAsync } from 'fastify'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { mountEndpoints } from '#core/http/mount-endpoints.ts'
import { resourceRoutes } from '#core/http/resource/resource-routes.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { readOneAgent } from './authoring/agent-file.ts'
import { checkAgent } from './authoring/check-agent.ts'
import { authoringEndpoints } from './endpoints/authoring.ts'
import { examples } from './endpoints/examples.ts'
import { relationEndpoints } from './endpoints/relations.ts'
import { versionEndpoints } from './endpoints/versions.ts'
import type { AgentEndpointServices } from './services.ts'

/** Every route of the plugin, below `/api`. */
export function agentEndpoints(agents: AgentEndpointServices): readonly AnyEndpoint[] {
  return [
    // Literal paths first for a reader; the router prefers them anyway.
    ...authoringEndpoints(agents),
    ...resourceRoutes(AgentDeployment, {
      verbs: ['list', 'get', 'update', 'delete'],
      path: '/agents',
      noun: 'Agent',
      examples: examples.replace,
      readYaml: readOneAgent,
      check: checkAgent,
    }),
    ...versionEndpoints(agents),
    ...relationEndpoints(agents),
  ]
}

/** See {@link agentEndpoints}. */
export function routes(agents: AgentEndpointServices): FastifyPluginAsync {
  return mountEndpoints(agentEndpoints(agents))
}
