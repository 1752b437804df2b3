import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseLabel } from '#core/kube/names.ts'
import { ReferenceList, UsedByQuery } from '#schemas/api/agents.ts'
import { CheckRequirementsBody, RequirementsResponse } from '#schemas/api/agent-authoring.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'
import { createFindResource } from '../contract/resources.ts'
import { toNewAgent } from '../authoring/new-agent.ts'
import { readReferences } from '../references/read-references.ts'
import { checkRequirements } from '../references/check-requirements.ts'
import { findUsers } from '../references/used-by.ts'
import { examples } from './examples.ts'

/** References of an agent, references to it, and its requirements. */
export function relationEndpoints(agents: AgentEndpointServices): AnyEndpoint[] {
  return [references(agents), usedBy(agents), requirements(agents)]
}

const references = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/agents/:ns/:name/references',
    id: 'listAgentReferences',
    summary: 'List what an agent refers or links to, and whether the caller can see it.',
    authz: { kind: 'kube', verb: 'get', resource: 'agentdeployments' },
    response: { 200: ReferenceList },
    handle: async ({ caller, params, signal }) => {
      const ref = { namespace: params.ns, name: params.name }
      const agent = await caller.cluster.get<AgentDeploymentObject>(AgentDeployment, ref, { signal })
      const items = await readReferences(caller, agents.references().collectShown(AgentDeployment, agent), {
        signal,
        findResource: createFindResource(agents.kinds),
        prompts: agents.prompts(),
      })
      return { items, nextCursor: null }
    },
  })

const usedBy = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'GET',
    url: '/usedby',
    id: 'listUsedBy',
    summary: 'List the objects that refer or link to an object, as far as the caller can see.',
    authz: { kind: 'kube', verb: 'list', resource: 'agentdeployments' },
    query: UsedByQuery,
    response: { 200: ReferenceList },
    handle: async ({ caller, query, directory, signal }) => {
      const { kind = AgentDeployment.kind, name, scope } = query
      if (scope !== undefined && directory === undefined) throw new Fail('not_wired')
      const namespace = parseLabel(
        '?namespace',
        query.namespace === undefined || query.namespace === '' ? 'default' : query.namespace,
      )
      return {
        items: await findUsers(
          caller,
          { kind, namespace, name },
          {
            kinds: agents.kinds(),
            references: agents.references(),
            directory: scope === undefined ? undefined : directory,
            signal,
          },
        ),
        nextCursor: null,
        ...(scope === undefined ? {} : { scope }),
      }
    },
  })

const requirements = (agents: AgentEndpointServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: '/agents/check-requirements',
    id: 'checkAgentRequirements',
    docs: { examples: examples.create },
    summary: 'Check what an agent needs before it can run, and how to get it.',
    authz: { kind: 'bearer' },
    audit: { action: 'check', resourceKind: 'AgentDeployment' },
    body: CheckRequirementsBody,
    response: { 200: RequirementsResponse },
    handle: async ({ caller, body, signal }) => {
      const named =
        body.config === undefined ? body : { ...body, namespace: body.namespace ?? namespaceIn(body.config) }
      const { agent } = toNewAgent(named)
      const namespace = parseLabel('/metadata/namespace', agent.metadata.namespace ?? '')
      const located = { ...agent, metadata: { ...agent.metadata, namespace } }
      return checkRequirements(caller, located, {
        signal,
        checks: agents.checks(),
        references: agents.references(),
        findResource: createFindResource(agents.kinds),
        prompts: agents.prompts(),
      })
    },
  })

function namespaceIn(config: Record<string, unknown>): string {
  return typeof config['namespace'] === 'string' ? config['namespace'] : 'default'
}
