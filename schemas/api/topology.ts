import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { Money, namespaceQuery, scope } from './common.ts'

/** Kinds of the nodes, in the order of the graph. */
export const topologyKinds = [
  'AgentDeployment',
  'AgentRegistry',
  'ModelRoute',
  'ModelProvider',
  'McpToolBinding',
  'McpServer',
  'KnowledgeBase',
] as const

const objectName = {
  kind: exemplified(Type.Enum([...topologyKinds], { description: 'Kind of the object.' }), 'AgentDeployment'),
  namespace: Type.String({ description: 'Namespace of the object.', examples: ['default'] }),
  name: Type.String({ description: 'Name of the object.', examples: ['hello'] }),
}
const id = Type.String({ description: 'kind/namespace/name.', examples: ['AgentDeployment/default/hello'] })
const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })

/** Runs of an agent. */
export const TopologyMetrics = Type.Object(
  {
    runs1h: count('Runs created in the last hour.', 12),
    failed1h: count('Those that failed, timed out or were rejected.', 1),
    cost24h: exemplified(
      Type.Union([Money, Type.Null()], {
        description: 'Cost of the runs of the last day; null without a known price, and for several currencies.',
      }),
      { amount: '0.420000', currency: 'USD' },
    ),
  },
  { title: 'TopologyMetrics', description: 'Runs of an agent; absent if the caller may not list them.' },
)

const node = Type.Object(
  {
    id,
    ...objectName,
    found: exemplified(Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether the object exists.' }), true),
    ready: exemplified(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'Condition Ready; null if it is not known.' }),
      true,
    ),
    phase: exemplified(
      Type.Enum(['ready', 'notReady', 'degraded', 'missing', 'unknown'], {
        description: 'State by its conditions; `missing` does not exist.',
      }),
      'ready',
    ),
    rank: Type.Integer({
      minimum: 0,
      maximum: 3,
      description: 'Trouble: 3 missing or degraded, 2 not ready, 1 failed runs or calls in the last hour, 0 none.',
      examples: [0],
    }),
    metrics: Type.Optional(TopologyMetrics),
  },
  { title: 'TopologyNode' },
)
const edge = Type.Object(
  {
    from: described(Type.Object({ id, ...objectName }), 'Object that refers.'),
    to: described(Type.Object({ id, ...objectName }), 'Object that is referred to.'),
    kind: exemplified(
      Type.Enum(['calls', 'uses', 'member', 'routes'], {
        description: '`calls` between agents, `member` of a registry, `routes` to a provider, `uses` for all else.',
      }),
      'uses',
    ),
    field: Type.String({
      description: 'Field of the reference or link, such as spec.registries[0].',
      examples: ['spec.delegates[0]'],
    }),
    role: exemplified(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Role of the agent in the registry; null between agents, and if it is not a member.',
      }),
      null,
    ),
    count1h: Type.Optional(
      count('Calls of the last hour by agents whose runs the caller may list; absent where calls are not counted.', 12),
    ),
    failed1h: Type.Optional(count('Failed calls of the last hour; absent for runs that an agent started.', 0)),
    p95Ms: Type.Optional(
      exemplified(
        Type.Union([Type.Integer(), Type.Null()], {
          description: '95th percentile of their duration, within 10 %; null without a call.',
        }),
        810,
      ),
    ),
  },
  { title: 'TopologyEdge' },
)

/** Response of `GET /api/topology`. */
export const Topology = Type.Object(
  {
    nodes: described(Type.Array(node), 'Objects that the caller may list, at most 200; those in trouble first.'),
    edges: described(Type.Array(edge), 'References and links of the nodes.'),
    omitted: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
      description: 'Number of omitted nodes by kind.',
      examples: [{ ModelRoute: 12 }],
    }),
    truncated: Type.Boolean({
      description: 'Whether the response omits nodes, or a kind has more objects than the 500 that are read.',
      examples: [false],
    }),
    scope: Type.Optional(scope),
  },
  { title: 'Topology' },
)

/** Query of `GET /api/topology`. */
export const TopologyQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    registry: Type.Optional(
      Type.String({
        maxLength: 317,
        description: 'Shows a registry, as `namespace/name`, and what is connected with it by at most `depth` edges.',
      }),
    ),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'Edges from the registry; needs `registry`.' }),
    ),
  },
  { additionalProperties: false },
)

/** A node of the topology. */
export type TopologyNode = Static<typeof node>
/** An edge of the topology. */
export type TopologyEdge = Static<typeof edge>
/** See {@link TopologyMetrics}. */
export type TopologyMetrics = Static<typeof TopologyMetrics>
