import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { DNS_LABEL_PATTERN, allowedNamespaces, conditions, observedGeneration } from '../kinds/parts.ts'

/** Role of a member that is listed in no role of the registry. */
export const DEFAULT_ROLE = 'member'

/** Maximum number of agents in one registry. */
export const MAX_MEMBERS = 500

const label = (description: string) =>
  Type.String({ minLength: 1, maxLength: 63, pattern: DNS_LABEL_PATTERN, description })

const roleNames = (description: string) =>
  Type.Array(Type.String({ maxLength: 63, pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$' }), {
    minItems: 1,
    maxItems: 32,
    description,
    'x-kubernetes-list-type': 'set',
  })

const role = Type.Object(
  {
    name: label('Name of the role, for spec.calls and the envelope of a call.'),
    agents: Type.Array(
      Type.Object(
        {
          name: label('Name of the agent.'),
          namespace: Type.Optional(label('Namespace of the agent. Defaults to that of the registry.')),
        },
        { additionalProperties: false, description: 'An agent.', 'x-mesh-link': 'AgentDeployment' },
      ),
      { maxItems: 64, description: 'Agents with this role.', 'x-kubernetes-list-type': 'atomic' },
    ),
  },
  { additionalProperties: false, description: 'A role; an agent has the first role that lists it.' },
)

const spec = Type.Object(
  {
    description: Type.Optional(
      Type.String({ maxLength: 1024, description: 'What the agents do together, for people.' }),
    ),
    allowedNamespaces: Type.Optional(allowedNamespaces),
    roles: Type.Optional(
      Type.Array(role, {
        maxItems: 32,
        description: 'Roles of members; a member that none lists has the role member.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
    ),
    calls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            from: roleNames('Roles that may call; "*" is every role.'),
            to: roleNames('Roles that may be called; "*" is every role.'),
          },
          { additionalProperties: false, description: 'Calls that are allowed.' },
        ),
        {
          maxItems: 64,
          description: 'Allowed calls. By default, every member may call every other member.',
          'x-kubernetes-list-type': 'atomic',
        },
      ),
    ),
    maxDepth: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8,
        default: 8,
        description: 'Maximum length of a chain of calls, from the first agent.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Agents that may call each other.' },
)

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    members: Type.Optional(
      Type.Array(
        Type.Object(
          {
            namespace: label('Namespace of the agent.'),
            name: label('Name of the agent, under which others call it.'),
            uid: Type.String({ maxLength: 128, description: 'Uid of the agent.' }),
            role: label('Role of the agent.'),
          },
          { description: 'A member.' },
        ),
        { maxItems: MAX_MEMBERS, description: 'Agents that name the registry and may join it.' },
      ),
    ),
    memberCount: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Number of members.' })),
    conditions: Type.Optional(conditions),
  },
  { description: 'Observed members of the registry.' },
)

/** Agents that may call each other on port 2997. */
export const AgentRegistry = defineKind({
  kind: 'AgentRegistry',
  plural: 'agentregistries',
  singular: 'agentregistry',
  shortNames: ['areg'],
  scope: 'Namespaced',
  description: 'Agents that may call each other, and which of them may call which.',
  spec,
  status,
  audited: ['maxDepth'],
  printerColumns: [
    { name: 'Members', type: 'integer', jsonPath: '.status.memberCount' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link AgentRegistry}. */
export type AgentRegistrySpec = Static<typeof spec>

/** Status of a registry. */
export type AgentRegistryStatus = Static<typeof status>

/** A member in the status of a registry. */
export type RegistryMember = NonNullable<AgentRegistryStatus['members']>[number]

/** A registry in its wire format. */
export type AgentRegistryObject = ObjectOf<typeof AgentRegistry>
