import type { PartStates } from '../part-states.ts'
import { Topology } from './topology.tsx'
import { TopologyNode } from './topology-node.tsx'
import type { GraphEdge, GraphNode } from './topology-graph.ts'

const node = (kind: string, name: string, rank = 0): GraphNode => ({
  id: `${kind}/support/${name}`,
  kind,
  namespace: 'support',
  name,
  rank,
  phase: rank === 3 ? 'degraded' : 'ready',
})
const nodes = [
  node('AgentRegistry', 'desk'),
  node('AgentDeployment', 'triage'),
  node('AgentDeployment', 'refund-agent', 3),
  node('AgentDeployment', '<img src=x onerror=alert(1)> \u202eمرحبا'),
  node('McpServer', 'payments'),
  node('KnowledgeBase', 'refund-policy'),
]
const id = (index: number): string => nodes[index]?.id ?? ''
const edge = (from: number, to: number, kind: GraphEdge['kind'], failed = 0): GraphEdge => ({
  from: id(from),
  to: id(to),
  kind,
  calls: 40,
  failed,
})
const edges = [
  edge(1, 0, 'member'),
  edge(2, 0, 'member'),
  edge(1, 2, 'calls'),
  edge(2, 4, 'uses', 3),
  edge(2, 5, 'uses'),
  edge(2, 1, 'calls'),
]
const ignore = (): void => undefined

/** States of the parts of this folder. */
export const topologyStates: readonly PartStates[] = [
  {
    part: 'Topology',
    states: [
      {
        name: 'frames with one node picked',
        show: () => <Topology nodes={nodes} edges={edges} picked={id(2)} onPick={ignore} label="Six objects" />,
      },
      {
        name: 'nothing picked',
        show: () => (
          <Topology nodes={nodes} edges={edges} picked={undefined} onPick={ignore} label="Six objects again" />
        ),
      },
    ],
  },
  {
    part: 'TopologyNode',
    states: [
      {
        name: 'degraded',
        show: () => (
          <TopologyNode
            node={node('AgentDeployment', 'critic', 3)}
            style={{ position: 'relative', width: 172, height: 44 }}
            isPicked={false}
            isNear={false}
            hasTabStop
            onPick={ignore}
          />
        ),
      },
    ],
  },
]
