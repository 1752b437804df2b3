import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { createAgentViews } from '../views/agent-views.ts'
import { authoringEndpoints } from './authoring.ts'
import { effectiveEndpoint } from './effective.ts'
import { readEndpoints } from './read.ts'
import { relationEndpoints } from './relations.ts'
import { versionEndpoints } from './versions.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'

/** Routes of the plugin besides the writes of its kind, below `/api`. */
export function agentEndpoints(agents: AgentEndpointServices): readonly AnyEndpoint[] {
  return [
    ...readEndpoints(createAgentViews(agents)),
    ...authoringEndpoints(agents),
    ...versionEndpoints(agents),
    ...relationEndpoints(agents),
    effectiveEndpoint(agents),
  ]
}
