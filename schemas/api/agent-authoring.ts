import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { shownAs } from '../values/shown-as.ts'
import { agentConfig, CreateAgentBody, namespaceName, objectName, patchOperation } from './agents.ts'
import { AnyObject, anyObject } from './common.ts'

const strict = { additionalProperties: false }

/** Body of `POST /api/expand`. */
export const ExpandBody = Type.Object(
  {
    config: Type.Optional(agentConfig),
    source: Type.Optional(
      Type.String({ minLength: 1, maxLength: 262_144, description: 'YAML text of an agent file.' }),
    ),
  },
  { ...strict, title: 'ExpandInput', description: 'Exactly one of config and source.' },
)

/** Response of `POST /api/expand`. */
export const ExpandResponse = Type.Object(
  {
    documents: described(
      Type.Array(shownAs(anyObject, AnyObject)),
      'Objects of Kubernetes, in the order in which they are applied.',
    ),
  },
  { title: 'ExpandedAgent' },
)

const routeReference = Type.String({
  minLength: 1,
  maxLength: 317,
  description: 'name or namespace/name of a ModelRoute.',
})

/** Body of `POST /api/agents/generate`. */
export const GenerateBody = Type.Object(
  {
    prompt: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'What the agent is to do, in at most 16,384 characters.',
    }),
    namespace: Type.Optional(described(namespaceName, 'Namespace of the agent, whose routes can be named.')),
    route: Type.Optional(routeReference),
  },
  { ...strict, title: 'GenerateInput' },
)

/** Body of `POST /api/agents/refine`. */
export const RefineBody = Type.Object(
  {
    config: agentConfig,
    instruction: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'What to change, in at most 16,384 characters.',
    }),
    namespace: Type.Optional(described(namespaceName, 'Namespace of the agent, whose routes can be named.')),
    route: Type.Optional(routeReference),
  },
  { ...strict, title: 'RefineInput' },
)

/** Response of generate and refine. */
export const GenerateResponse = Type.Object(
  {
    config: agentConfig,
    explanation: Type.String({
      description: 'What the model says about the config.',
      examples: ['An agent that greets people.'],
    }),
    warnings: described(Type.Array(Type.String()), 'Problems that were fixed or remain.', []),
    changes: Type.Optional(Type.Array(patchOperation, { description: 'Every change of a refined config (RFC 6902).' })),
  },
  { title: 'GeneratedConfig' },
)

/** Body of `POST /api/agents/check-requirements`: `{config}`, or the object. */
export const CheckRequirementsBody = CreateAgentBody

/** One requirement and what to do about it. */
export const Requirement = Type.Object(
  {
    kind: Type.String({ description: 'Kind of the object.', examples: ['ModelRoute'] }),
    namespace: Type.Optional(Type.String({ description: 'Namespace of the object.', examples: ['default'] })),
    name: Type.String({ description: 'Name of the object.', examples: ['mock'] }),
    status: described(
      Type.Enum(['met', 'missing', 'denied']),
      'Whether the object exists and may be used by the caller.',
      'met',
    ),
    fix: Type.String({ description: 'What to do; empty when met.', examples: [''] }),
  },
  { title: 'Requirement' },
)

/** See {@link Requirement}. */
export type Requirement = Static<typeof Requirement>

/** Response of `POST /api/agents/check-requirements`. */
export const RequirementsResponse = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether every requirement is met.', examples: [true] }),
    requirements: described(Type.Array(Requirement), 'Objects that the agent refers to.'),
  },
  { title: 'RequirementsCheck' },
)

/** Body of `POST .../publish`. */
export const PublishBody = Type.Object(
  {
    name: Type.Optional(described(objectName, 'Name of the template. Defaults to that of the agent.')),
    namespace: Type.Optional(described(namespaceName, 'Namespace of the template. Defaults to that of the agent.')),
    title: Type.String({ minLength: 1, maxLength: 128, description: 'Title in the catalog, at most 128 characters.' }),
    description: Type.Optional(
      Type.String({ maxLength: 4096, description: 'Description in the catalog, at most 4,096 characters.' }),
    ),
    tags: Type.Optional(
      described(
        Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: 32, uniqueItems: true }),
        'Words by which the catalog is filtered, at most 32.',
      ),
    ),
  },
  { ...strict, title: 'PublishInput' },
)
