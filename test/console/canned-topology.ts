import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

/** Text that would be markup, changes the direction and has a control character. */
export const hostile = '<img src=x onerror="document.title=1"> \u202e\u0007 مرحبا'

type Kind = 'AgentDeployment' | 'AgentRegistry' | 'ModelRoute' | 'McpServer' | 'KnowledgeBase'

const objectOf = (kind: Kind, namespace: string, name: string) => ({
  id: `${kind}/${namespace}/${name}`,
  kind,
  namespace,
  name,
})

/** A node; a rank of 3 is degraded. */
export function topologyNode(kind: Kind, namespace: string, name: string, rank = 0) {
  return {
    ...objectOf(kind, namespace, name),
    found: true,
    ready: rank === 0,
    phase: rank === 3 ? 'degraded' : 'ready',
    rank,
    ...(kind === 'AgentDeployment' ? { metrics: { runs1h: 12, failed1h: rank, cost24h: null } } : {}),
  }
}

type Node = ReturnType<typeof topologyNode>

/** An edge between two nodes. */
export function topologyEdge(from: Node, to: Node, kind: 'calls' | 'uses' | 'member', failed = 0) {
  const end = ({ kind: of, namespace, name }: Node) => objectOf(of, namespace, name)
  const counts = kind === 'member' ? {} : { count1h: 120, failed1h: failed, p95Ms: 810 }
  return { from: end(from), to: end(to), kind, field: 'spec.tools[0]', role: null, ...counts }
}

const teams: Readonly<Record<string, readonly string[]>> = {
  support: ['triage', 'refund-agent', 'reply-writer', 'sentiment'],
  finance: ['close-assistant', 'invoice-matcher', hostile],
  platform: ['incident-copilot', 'log-analyst', 'release-notes'],
}

/** Three registries with a supervisor, agents and tools each; some objects are left out. */
export function cannedTopology(): CannedResponses {
  const parts = Object.entries(teams).map(([team, names]) => {
    const registry = topologyNode('AgentRegistry', team, team)
    const agents = names.map((name, index) => topologyNode('AgentDeployment', team, name, index === 1 ? 3 : 0))
    const tools = [
      topologyNode('McpServer', team, `${team}-tools`),
      topologyNode('KnowledgeBase', team, `${team}-docs`),
    ]
    const [first, second] = agents as [Node, Node]
    const [server, docs] = tools as [Node, Node]
    return {
      nodes: [registry, ...agents, ...tools],
      edges: [
        ...agents.map((agent) => topologyEdge(agent, registry, 'member')),
        ...agents.slice(1).map((agent) => topologyEdge(first, agent, 'calls')),
        topologyEdge(second, server, 'uses', 7),
        topologyEdge(second, docs, 'uses'),
        topologyEdge(second, first, 'calls'),
      ],
    }
  })
  const topology = {
    nodes: parts.flatMap(({ nodes }) => nodes),
    edges: parts.flatMap(({ edges }) => edges),
    omitted: { ModelRoute: 12 },
    truncated: true,
  }
  return { ...cannedShell, '/api/topology': topology }
}
