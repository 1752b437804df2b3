import { A2A_LEGACY_VERSION, A2A_VERSION } from '#schemas/api/a2a.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'

const modes = ['text/plain', 'application/json']

/** Agent card of A2A 1.0 (section 4.4.1). `url` is the URL of the JSON-RPC route. */
export function toAgentCard(agent: AgentDeploymentObject, url: string): object {
  return {
    ...describeAgent(agent),
    supportedInterfaces: [A2A_VERSION, A2A_LEGACY_VERSION].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: bearer } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  }
}

/** Agent card of A2A 0.3, for clients that send no version. */
export function toLegacyCard(agent: AgentDeploymentObject, url: string): object {
  return {
    ...describeAgent(agent),
    protocolVersion: `${A2A_LEGACY_VERSION}.0`,
    url,
    preferredTransport: 'JSONRPC',
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: true,
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearer } },
    security: [{ bearer: [] }],
  }
}

const bearer = 'Token of the cluster or of its identity provider, as for the API.'

function describeAgent({ metadata, spec, status }: AgentDeploymentObject) {
  const { namespace = '', name } = metadata
  const description = spec.a2a?.description ?? `The agent ${name} of the namespace ${namespace}.`
  const own = spec.a2a?.skills ?? []
  const skills = own.length > 0 ? own : [{ id: name, name, description }]
  return {
    name,
    description,
    version: status?.currentRevision ?? String(metadata.generation ?? 1),
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: skills.map((skill) => ({ tags: ['agent'], ...skill })),
  }
}
