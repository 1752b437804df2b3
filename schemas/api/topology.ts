import { Type } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { namespaceQuery, scope } from './common.ts'

const objectName = {
  kind: exemplified(
    Type.Enum(['AgentDeployment', 'AgentRegistry'], { description: 'Kind of the object.' }),
    'AgentDeployment',
  ),
  namespace: Type.String({ description: 'Namespace of the object.', examples: ['default'] }),
  name: Type.String({ description: 'Name of the object.', examples: ['hello'] }),
}
const node = Type.Object(
  {
    ...objectName,
    found: exemplified(
      Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Whether the object exists; null if the caller may not read it.',
      }),
      true,
    ),
    ready: exemplified(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'Condition Ready; null if it is not known.' }),
      true,
    ),
  },
  { title: 'TopologyNode' },
)
const edge = Type.Object(
  {
    from: described(Type.Object(objectName), 'Object that refers.'),
    to: described(Type.Object(objectName), 'Object that is referred to.'),
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
  },
  { title: 'TopologyEdge' },
)

/** Response of `GET /api/topology`. */
export const Topology = Type.Object(
  {
    nodes: described(Type.Array(node), 'Agents and registries.'),
    edges: described(Type.Array(edge), 'References and links between them.'),
    truncated: Type.Boolean({ description: 'Whether the response omits agents.', examples: [false] }),
    scope: Type.Optional(scope),
  },
  { title: 'Topology' },
)

/** Query of `GET /api/topology`. */
export const TopologyQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope) },
  { additionalProperties: false },
)
