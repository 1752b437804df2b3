import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '../values/described.ts'
import { bindingRef, budgetAmount, delegate, toolRegistryRef, toolsNeedingApproval } from '../crds/agent-behaviour.ts'
import { agentSpec } from '../crds/agent-deployment.ts'
import { environment as environmentList, resources as agentResources } from '../crds/agent-runtime.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN, objectRef, quantity } from '../kinds/parts.ts'

const spec = agentSpec.properties

const name = Type.String({
  minLength: 1,
  maxLength: 52,
  pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  description: 'Name of the agent: a DNS label that starts with a letter.',
})

const objectName = (kind: string) =>
  Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN, description: `Name of the ${kind}.` })

const textMap = (description: string) => Type.Record(Type.String(), Type.String({ maxLength: 65536 }), { description })

/** A list of names, or of objects with a name. */
function nameList(kind: string, description: string) {
  const item = Type.Union([objectName(kind), Type.Object({ name: objectName(kind) }, { additionalProperties: false })])
  return Type.Array(item, { maxItems: 32, description })
}

const registryRef = objectRef('AgentRegistry', 'A registry.')
const policyRef = spec.guardrails.items

const environment = Type.Union(
  [
    Type.Record(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      Type.Union([Type.String({ maxLength: 32768 }), Type.Number(), Type.Boolean()]),
      { additionalProperties: false },
    ),
    environmentList,
  ],
  { description: 'Environment of the agent process: NAME: value, or the list form of Kubernetes.' },
)

const runtime = Type.Object(
  {
    command: spec.runtime.properties.command,
    args: spec.runtime.properties.args,
    port: spec.runtime.properties.port,
    env: Type.Optional(environment),
  },
  { additionalProperties: false, description: 'How the agent process is started.' },
)

const resources = Type.Union(
  [
    Type.Object(
      {
        cpu: Type.Optional(described(quantity, 'Processors, such as 500m or 2.')),
        memory: Type.Optional(described(quantity, 'Memory, such as 512Mi or 1Gi.')),
      },
      { additionalProperties: false, description: 'The same for requests and limits.' },
    ),
    agentResources,
  ],
  { description: 'Compute resources: {cpu, memory}, or {requests, limits} as in Kubernetes.' },
)

const scaling = Type.Object(
  {
    replicas: spec.scaling.properties.replicas,
    minReplicas: spec.scaling.properties.minReplicas,
    maxReplicas: spec.scaling.properties.maxReplicas,
    policyRef: Type.Optional(
      Type.Union([
        objectName('AgentScalingPolicy'),
        Type.Object({ name: objectName('AgentScalingPolicy') }, { additionalProperties: false }),
      ]),
    ),
  },
  { additionalProperties: false, description: 'Number of replicas.' },
)

const message = Type.Object(
  {
    role: Type.Enum(['system', 'user', 'assistant'], { description: 'Who speaks.' }),
    content: Type.String({
      minLength: 1,
      maxLength: 131072,
      description: 'Content of the message; {{variables}} are replaced.',
    }),
  },
  { additionalProperties: false, description: 'One message.' },
)

const prompt = Type.Object(
  {
    name: Type.Optional(objectName('prompt; defaults to the name of the agent')),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 131072, description: 'Text of the prompt.' })),
    messages: Type.Optional(Type.Array(message, { minItems: 1, maxItems: 64, description: 'Messages of the prompt.' })),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'A revision of a prompt that exists.' }),
    ),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: 'A label of a prompt that exists.' })),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
        maxProperties: 256,
        description: 'Values of the variables of the prompt, by name.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A managed prompt: new text or messages, or the name of one that exists.',
  },
)

const toolEntry = spec.tools.items.properties

const tool = Type.Object(
  {
    name: toolEntry.name,
    bindingRef: Type.Optional(
      Type.Union([Type.String({ maxLength: 317, description: 'name or namespace/name' }), bindingRef]),
    ),
    registryRef: Type.Optional(
      Type.Union([Type.String({ maxLength: 317, description: 'name or namespace/name' }), toolRegistryRef]),
    ),
    allow: toolEntry.allow,
    requireApproval: Type.Optional(
      Type.Union([Type.Boolean(), toolsNeedingApproval], {
        description: 'Tools whose calls wait for a person; true is every tool of this entry.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A built-in tool, or the tools of a binding or registry.' },
)

const budget = Type.Object(
  {
    amount: Type.Union([budgetAmount, Type.Number({ minimum: 0 })]),
    currency: spec.budget.properties.currency,
    window: spec.budget.properties.window,
    onExceed: spec.budget.properties.onExceed,
  },
  { additionalProperties: false, description: 'Spend limit of the agent.' },
)

const evaluation = Type.Object(
  {
    dataset: objectName('dataset that candidates are scored on'),
    suite: Type.Optional(objectName('EvalSuite that gates new revisions')),
    minScore: spec.evalGate.properties.minScore,
  },
  { additionalProperties: false, description: 'How candidates of the agent are evaluated.' },
)

/** The simplified agent format: one agent as a user writes it. */
export const AgentFile = Type.Object(
  {
    name,
    namespace: Type.Optional(
      Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'Namespace of the agent.' }),
    ),
    labels: Type.Optional(textMap('Labels of the agent.')),
    annotations: Type.Optional(textMap('Annotations of the agent.')),
    image: spec.image,
    executionModel: Type.Optional(
      Type.Enum(['service', 'job'], {
        description: 'service (the default) stays up and answers; job runs once and needs a process of its own.',
      }),
    ),
    runtime: Type.Optional(runtime),
    resources: Type.Optional(resources),
    scaling: Type.Optional(scaling),
    pod: spec.pod,
    model: spec.model,
    systemPrompt: spec.systemPrompt,
    prompt: Type.Optional(prompt),
    tools: Type.Optional(
      Type.Array(Type.Union([toolEntry.name, tool]), { maxItems: 64, description: 'Tools that the agent may call.' }),
    ),
    registries: Type.Optional(
      Type.Array(Type.Union([Type.String({ maxLength: 317, description: 'name or namespace/name' }), registryRef]), {
        maxItems: 32,
        description: 'Registries that the agent joins: it may call their members.',
      }),
    ),
    a2a: spec.a2a,
    delegates: Type.Optional(
      Type.Array(Type.Union([Type.String({ maxLength: 127, description: 'name or namespace/name' }), delegate]), {
        maxItems: 256,
        description: 'Agents that this one may call. Defaults to the agents of its namespace.',
      }),
    ),
    knowledge: Type.Optional(
      Type.Array(Type.Union([objectName('KnowledgeBase'), objectRef('KnowledgeBase', 'A knowledge base by name.')]), {
        maxItems: 32,
        description: 'Knowledge bases that the agent may search.',
      }),
    ),
    guardrails: Type.Optional(
      Type.Array(Type.Union([Type.String({ maxLength: 317, description: 'name or namespace/name' }), policyRef]), {
        maxItems: 32,
        description: 'Policies applied to model and tool calls.',
      }),
    ),
    secrets: Type.Optional(nameList('SecretBinding', 'Secret bindings made available to the agent.')),
    memory: spec.memory,
    budget: Type.Optional(budget),
    limits: spec.limits,
    tracePolicy: spec.tracePolicy,
    recording: spec.recording,
    eval: Type.Optional(evaluation),
  },
  { additionalProperties: false, description: 'An agent in the simplified format.' },
)

/** See {@link AgentFile}. */
export type AgentFile = Static<typeof AgentFile>
