import { Type } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { ModelParams } from '../kinds/model-params.ts'
import {
  amount,
  currency,
  DNS_LABEL_PATTERN,
  duration,
  localRef,
  objectRef,
  PATH_REFERENCE_PATTERN,
  pathRef,
  spendWindow,
} from '../kinds/parts.ts'

/** Built-in tools of the launcher. */
export const BUILT_IN_TOOLS = ['time', 'calculate', 'ask_human'] as const

/** Which model the agent uses. */
export const model = Type.Object(
  {
    route: pathRef('ModelRoute', 'Route that serves the model calls.'),
    fallbackRoutes: Type.Optional(
      Type.Array(pathRef('ModelRoute', 'A route.'), {
        maxItems: 8,
        description: 'Routes tried in this order when the first one fails.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    allowRoutes: Type.Optional(
      Type.Array(Type.String({ maxLength: 317, pattern: `^(\\*|${PATH_REFERENCE_PATTERN.slice(1, -1)})$` }), {
        maxItems: 64,
        description:
          'Further routes that the agent may call, besides route and fallbackRoutes; "*" is every route that its namespace may use. The gateway refuses any other.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    params: Type.Optional(ModelParams),
  },
  { additionalProperties: false, description: 'Model of the agent.' },
)

/** Values of the variables of a managed prompt. */
export const promptVariables = Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
  maxProperties: 256,
  description:
    'Values of its variables: each replaces {{name}} when a revision is made. Default: those of its JSON Schema.',
})

/** A managed prompt: a numbered version, the one a label points to, or by default that of `production`, else the latest. */
export const prompt = Type.Object(
  {
    name: Type.String({
      maxLength: 253,
      pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
      description: 'Name of the prompt, in the same namespace.',
    }),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'A numbered version.' })),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: 'A label such as production.' })),
    variables: Type.Optional(promptVariables),
  },
  {
    additionalProperties: false,
    description:
      'Managed prompt in place of systemPrompt. Without version and label: the label production, else the latest version.',
    'x-mesh-ref': 'PromptVersion',
    'x-kubernetes-validations': [
      { rule: '!(has(self.version) && has(self.label))', message: 'version and label are mutually exclusive' },
    ],
  },
)

const toolName = Type.String({ minLength: 1, maxLength: 128, pattern: '^(\\*|[A-Za-z0-9_][A-Za-z0-9_.:/-]*)$' })

/** Binding that provides the tools of an entry. */
export const bindingRef = objectRef('McpToolBinding', 'Binding that brings tools of an MCP server.')

/** Registry that provides the tools of an entry from several bindings. */
export const toolRegistryRef = objectRef('ToolRegistry', 'Registry that brings the tools of its bindings.')

/** Tools whose calls wait for approval. */
export const toolsNeedingApproval = Type.Array(toolName, {
  maxItems: 256,
  description: 'Tools whose calls wait for a person; "*" is every tool of this entry.',
  'x-kubernetes-list-type': 'set',
})

/** Tools of the agent: the launcher's own ones by name, others through a binding. */
export const tools = Type.Array(
  Type.Object(
    {
      name: Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: '^[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        description:
          'Name of this entry; without bindingRef and registryRef one of the built-in tools time, calculate and ask_human.',
      }),
      bindingRef: Type.Optional(bindingRef),
      registryRef: Type.Optional(toolRegistryRef),
      allow: Type.Optional(
        Type.Array(toolName, {
          maxItems: 256,
          description: 'Tools of the binding or registry that the agent may call. Defaults to all of them.',
          'x-kubernetes-list-type': 'set',
        }),
      ),
      requireApproval: Type.Optional(toolsNeedingApproval),
    },
    {
      additionalProperties: false,
      description: 'One built-in tool, or the tools of one binding or registry.',
      'x-kubernetes-validations': [
        {
          rule: `has(self.bindingRef) || has(self.registryRef) || self.name in ${JSON.stringify(BUILT_IN_TOOLS)}`,
          message: 'without bindingRef the name must be one of the built-in tools: time, calculate, ask_human',
          fieldPath: '.name',
        },
        {
          rule: '!(has(self.bindingRef) && has(self.registryRef))',
          message: 'bindingRef and registryRef are mutually exclusive',
        },
      ],
    },
  ),
  {
    maxItems: 64,
    description: 'Tools that the agent may call.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
)

const a2aSkill = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'Id of the skill.' }),
    name: Type.String({ minLength: 1, maxLength: 128, description: 'Name of the skill.' }),
    description: Type.String({ minLength: 1, maxLength: 1024, description: 'What the skill does.' }),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 16,
        description: 'Keywords of the skill.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    examples: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
        maxItems: 16,
        description: 'Example messages for the skill.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  { additionalProperties: false, description: 'A skill in the agent card.' },
)

/** Standard agent-to-agent protocol. */
export const a2a = Type.Object(
  {
    expose: Type.Optional(Type.Boolean({ default: false, description: 'Serve the agent card and JSON-RPC of A2A.' })),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'What the agent does, for its agent card.' }),
    ),
    skills: Type.Optional(
      Type.Array(a2aSkill, {
        maxItems: 32,
        description: 'Skills in the agent card; by default one with the name of the agent.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      }),
    ),
  },
  { additionalProperties: false, description: 'Agent-to-agent protocol (A2A).' },
)

/** One agent that may be called. */
export const delegate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'Name of the agent.' }),
    namespace: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
        description: 'Namespace of the agent. Defaults to that of this object.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An agent.', 'x-mesh-link': 'AgentDeployment' },
)

/** Agents that this one may call. Links: two agents may name each other, and a missing agent does not block the other. */
export const delegates = Type.Array(delegate, {
  maxItems: 256,
  description: 'Agents that this one may call. Defaults to the agents of its namespace; an empty list allows none.',
  'x-kubernetes-list-type': 'atomic',
})

/** Memory of the agent; absent parts are not bound. */
export const memory = Type.Object(
  {
    session: Type.Optional(
      Type.Object(
        {
          ttl: Type.Optional(
            duration(durationBounds.retention, 'Retention of a conversation after its last entry. Defaults to 24h.'),
          ),
          maxEntries: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100000,
              description: 'Maximum number of entries kept per conversation.',
            }),
          ),
        },
        { additionalProperties: false, description: 'Context of one conversation.' },
      ),
    ),
    longTerm: Type.Optional(
      Type.Object(
        {
          embeddingRoute: Type.Optional(pathRef('ModelRoute', 'Route that embeds entries for semantic search.')),
          ttl: Type.Optional(duration(durationBounds.retention, 'Retention of an entry. Unlimited by default.')),
          scope: Type.Optional(
            Type.Enum(['agent', 'user'], {
              default: 'agent',
              description: 'Whether entries are shared by all users of the agent.',
            }),
          ),
        },
        { additionalProperties: false, description: 'Memory that outlives a conversation.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'Memory bound to the agent.' },
)

/** Amount of a budget, as a decimal string. */
export const budgetAmount = amount('Amount as a decimal string, such as "5.00".')

/** Money that the agent may spend. */
export const budget = Type.Object(
  {
    amount: budgetAmount,
    currency: Type.Optional(currency),
    window: Type.Optional(spendWindow),
    onExceed: Type.Optional(
      Type.Enum(['fail', 'pause'], { default: 'fail', description: 'What happens to a run that would exceed it.' }),
    ),
  },
  { additionalProperties: false, description: 'Spend limit of the agent.' },
)

/** Limits of one run. */
export const limits = Type.Object(
  {
    timeout: Type.Optional(
      duration(
        durationBounds.runTimeout,
        'Maximum duration of one run. Defaults to 10m. The run then ends, and its agent has 5s more to stop before its process is killed. It occupies a slot until then.',
      ),
    ),
    maxSteps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of steps of the built-in loop in one run. Defaults to 25.',
      }),
    ),
    maxDelegationDepth: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 8, description: 'Maximum depth of delegation. Defaults to 8.' }),
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Number of runs that one replica handles concurrently. Defaults to 1.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Limits of one run.' },
)

/** Evaluation that a new revision must pass before it receives traffic. */
export const evalGate = Type.Object(
  {
    suiteRef: localRef('EvalSuite', 'Suite that scores a new revision.'),
    minScore: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Score at or above which the revision is promoted. Defaults to that of the suite.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Evaluation that a new revision must pass before it serves.' },
)
