import { Type } from 'typebox'
import { namespaceQuery, scope } from './common.ts'

const objectName = {
  kind: Type.Enum(['AgentDeployment', 'AgentRegistry'], { description: 'Kind of the object.' }),
  namespace: Type.String({ description: 'Namespace of the object.' }),
  name: Type.String({ description: 'Name of the object.' }),
}
const node = Type.Object(
  {
    ...objectName,
    found: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the object exists; null if the caller may not read it.',
    }),
    ready: Type.Union([Type.Boolean(), Type.Null()], { description: 'Condition Ready; null if it is not known.' }),
  },
  { title: 'TopologyNode' },
)
const edge = Type.Object(
  {
    from: Type.Object(objectName),
    to: Type.Object(objectName),
    field: Type.String({ description: 'Field of the reference or link, such as spec.registries[0].' }),
    role: Type.Union([Type.String(), Type.Null()], {
      description: 'Role of the agent in the registry; null between agents, and if it is not a member.',
    }),
  },
  { title: 'TopologyEdge' },
)

/** Answer of `GET /api/topology`. */
export const Topology = Type.Object(
  {
    nodes: Type.Array(node),
    edges: Type.Array(edge),
    truncated: Type.Boolean({ description: 'Whether there are more agents than one answer has.' }),
    scope: Type.Optional(scope),
  },
  { title: 'Topology' },
)

/** Query of `GET /api/topology`. */
export const TopologyQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  { additionalProperties: false },
)
