import type { AgentsApi } from './contract/api.ts'
import { createAuthored, requireProof } from './authoring/create-authored.ts'
import { generateFor } from './generate/generate-for.ts'
import type { AgentEndpointServices } from './services/create-services.ts'

/** Creates the API. */
export function createAgentsApi(services: AgentEndpointServices): AgentsApi {
  const { documents, references } = services
  return {
    references,
    create: async (caller, access, agent, { dryRun = false, signal }) => {
      requireProof(caller, access, agent)
      return createAuthored(documents, caller, { agent, documents: [] }, { dryRun, signal })
    },
    generate: (caller, request) => generateFor(services, caller, request),
  }
}
