import { mapConcurrently } from '#core/async/map-concurrently.ts'
import type { Caller } from '#core/cluster/caller.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { readObjects } from '#core/http/resource/resource-list.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentReferences } from '#plugins/agents/contract/points.ts'
import { Topology, TopologyQuery } from '#schemas/api/topology.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'
import type { AgentRegistryObject } from '#schemas/crds/agent-registry.ts'
import { toGraph } from './to-graph.ts'
import type { FoundRegistry } from './to-graph.ts'

type ListCall = Parameters<typeof readObjects>[1]

// Agents in one response: a larger graph cannot be drawn.
const maxAgents = 500

/** The graph of agents and registries, by the references between them, as far as the caller may read it. */
export function topologyEndpoint(references: () => AgentReferences): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/topology',
    id: 'getTopology',
    summary: 'Get the graph of agents and registries, as far as the caller can see it.',
    authz: { kind: 'kube', verb: 'list', resource: 'agentdeployments' },
    query: TopologyQuery,
    response: { 200: Topology },
    handle: async ({ caller, cursors, directory, query, signal }) => {
      const first = { caller, cursors, directory, signal, query: { ...query, limit: maxAgents } }
      const { items, nextCursor, ...scope } = await readObjects<AgentDeploymentObject>(AgentDeployment, first)
      const { collectShown } = references()
      const agents = items.map((agent) => ({ agent, references: collectShown(AgentDeployment, agent) }))
      const listed = await listRegistries(first)
      const others = await readOthers(caller, agents, { listed, signal })
      const registries = [...listed, ...others].map((one) => ({
        ...one,
        links: one.registry === undefined ? [] : collectShown(AgentRegistry, one.registry),
      }))
      return { ...toGraph(agents, registries), truncated: nextCursor !== null, ...scope }
    },
  })
}

async function listRegistries(call: ListCall): Promise<readonly FoundRegistry[]> {
  try {
    const { items } = await readObjects<AgentRegistryObject>(AgentRegistry, call)
    return items.map((registry) => {
      const { namespace: own = '', name } = registry.metadata
      return { namespace: own, name, found: true, registry }
    })
  } catch (error) {
    if (isStatus(error, 403)) return []
    throw error
  }
}

/** Reads registries of other namespaces, and those that the caller may get but not list. */
async function readOthers(
  caller: Caller,
  agents: Parameters<typeof toGraph>[0],
  { listed, signal }: { readonly listed: readonly FoundRegistry[]; readonly signal: AbortSignal },
): Promise<readonly FoundRegistry[]> {
  const known = new Set(listed.map(keyOf))
  const wanted = new Map(
    agents
      .flatMap(({ references }) => references.filter(({ kind }) => kind === AgentRegistry.kind))
      .filter((one) => !known.has(keyOf(one)))
      .map((one) => [keyOf(one), one]),
  )
  return mapConcurrently([...wanted.values()], async ({ namespace, name }): Promise<FoundRegistry> => {
    if (!isLabel(namespace) || !isName(name)) return { namespace, name, found: false }
    try {
      const registry = await caller.cluster.get<AgentRegistryObject>(AgentRegistry, { namespace, name }, { signal })
      return { namespace, name, found: true, registry }
    } catch (error) {
      if (isStatus(error, 404)) return { namespace, name, found: false }
      if (isStatus(error, 403)) return { namespace, name, found: null }
      throw error
    }
  })
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}
