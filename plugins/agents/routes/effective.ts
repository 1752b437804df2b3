import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { EffectiveRules } from '#schemas/api/effective-rules.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'
import { limitsOf } from '../views/agent-limits.ts'

/** The rules that apply to an agent, and where each is written. */
export function effectiveEndpoint({ effective }: Pick<AgentEndpointServices, 'effective'>): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/effective',
    id: 'getAgentEffectiveRules',
    summary: 'Get the guardrails, quotas and limits that apply to an agent, and where each of them is written.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: EffectiveRules },
    handle: async ({ caller, params, signal }) => {
      const ref = { namespace: params.ns, name: params.name }
      const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      const parts = await Promise.all(effective().map((read) => read(agent, caller, signal)))
      return {
        guardrails: parts.flatMap(({ guardrails = [] }) => guardrails),
        namespaceGuardrails: parts.every(({ namespaceGuardrails }) => namespaceGuardrails !== false),
        quotas: parts.flatMap(({ quotas = [] }) => quotas),
        limits: limitsOf(agent),
      }
    },
  })
}
