import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { authoringEndpoints } from './endpoints/authoring.ts'
import { relationEndpoints } from './endpoints/relations.ts'
import { versionEndpoints } from './endpoints/versions.ts'
import type { AgentEndpointServices } from './services.ts'

/** Routes of the plugin besides those of its kind, below `/api`. */
export function agentEndpoints(agents: AgentEndpointServices): readonly AnyEndpoint[] {
  return [...authoringEndpoints(agents), ...versionEndpoints(agents), ...relationEndpoints(agents)]
}
