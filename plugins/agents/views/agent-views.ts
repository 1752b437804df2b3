import type { Caller } from '#core/cluster/caller.ts'
import type { AddFields, IncludeCall, ObjectIncludes } from '#core/http/resource/object-includes.ts'
import { parseLabel } from '#core/kube/names.ts'
import { agentIncludes, agentListViews, agentViews, listIncludes } from '#schemas/api/agent-views.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { AgentEndpointServices } from '../services/create-services.ts'
import { readAgentEvents } from './agent-events.ts'
import { readAgentPods } from './agent-pods.ts'
import { readAgentRights } from './agent-rights.ts'
import { readStatistics } from './agent-statistics.ts'
import { parseViews } from './parse-views.ts'
import type { RequestedViews, ViewQuery } from './parse-views.ts'

type Services = Pick<AgentEndpointServices, 'now' | 'runs' | 'budgetOf'>
type Include = (typeof agentIncludes)[number]
type ViewRequest = Pick<IncludeCall, 'caller' | 'signal'> & RequestedViews<Include>

/** What lists of agents and an agent show on request. */
export function createAgentViews(services: Services): { readonly list: ObjectIncludes; readonly get: ObjectIncludes } {
  const prepare = (known: readonly Include[]) => {
    return ({ caller, signal, query }: IncludeCall): AddFields | undefined => {
      const views = parseViews(query as ViewQuery, known)
      if (views === undefined) return undefined
      return (objects) => addViews(services, { caller, signal, ...views }, objects as readonly AgentDeploymentObject[])
    }
  }
  return {
    list: { query: agentListViews, prepare: prepare(listIncludes) },
    get: { query: agentViews, prepare: prepare(agentIncludes) },
  }
}

async function addViews(
  services: Services,
  request: ViewRequest,
  agents: readonly AgentDeploymentObject[],
): Promise<readonly AgentDeploymentObject[]> {
  const { caller, signal, names, windowMs, bins } = request
  const namespaces = [...new Set(agents.map(({ metadata: { namespace = '' } }) => namespace))]
  const window = { windowMs, bins, now: services.now() }
  const [stats, rightsOf] = await Promise.all([
    names.has('stats') ? readStatistics(services.runs, caller, agents, window) : undefined,
    names.has('can') ? readAgentRights(caller, namespaces, signal) : undefined,
  ])
  return Promise.all(
    agents.map(async (agent) => {
      const { namespace = '', name, uid = '' } = agent.metadata
      const ofRuns = stats?.get(uid)
      return {
        ...agent,
        ...(ofRuns && { stats: ofRuns }),
        ...(rightsOf && { can: rightsOf(namespace, name) }),
        ...(await readLiveFields(services, request, agent)),
      }
    }),
  )
}

async function readLiveFields(
  { budgetOf }: Services,
  { caller, signal, names }: ViewRequest,
  agent: AgentDeploymentObject,
): Promise<object> {
  const [budget, pods] = await Promise.all([
    names.has('budget') ? readBudget(caller, agent, budgetOf()) : null,
    names.has('pods') || names.has('events') ? readAgentPods(caller, agent, signal) : null,
  ])
  const of = { pods: new Set(pods?.map(({ name }) => name)), signal }
  return {
    ...(names.has('budget') ? { budget } : {}),
    ...(names.has('pods') ? { pods } : {}),
    ...(names.has('events') ? { events: await readAgentEvents(caller, agent, of) } : {}),
  }
}

async function readBudget(
  caller: Caller,
  agent: AgentDeploymentObject,
  budgetOf: ReturnType<Services['budgetOf']>,
): Promise<object | null> {
  if (budgetOf === undefined || agent.spec.budget === undefined) return null
  const namespace = parseLabel('namespace', agent.metadata.namespace ?? '')
  const access = await caller.may('list', 'costs', { namespace })
  return access === undefined ? null : budgetOf(access, agent)
}
