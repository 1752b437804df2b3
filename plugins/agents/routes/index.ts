import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { authoringEndpoints } from './authoring.ts'
import { relationEndpoints } from './relations.ts'
import { versionEndpoints } from './versions.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'

/** Routes of the plugin besides those of its kind, below `/api`. */
export function agentEndpoints(agents: AgentEndpointServices): readonly AnyEndpoint[] {
  return [...authoringEndpoints(agents), ...versionEndpoints(agents), ...relationEndpoints(agents)]
}
