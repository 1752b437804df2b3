import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { conditions, keyedRefs, localRefs, objectRefs, observedGeneration } from '../kinds/parts.ts'
import { a2a, budget, delegates, evalGate, limits, memory, model, prompt, tools } from './agent-behaviour.ts'
import { runRecording, tracePolicy } from './agent-observation.ts'
import { pod } from './agent-pod.ts'
import { resources, runtime, scaling } from './agent-runtime.ts'

/** Defaults of absent fields; not written to objects, so that revisions contain only what the user wrote. */
export const AGENT_DEFAULTS = {
  replicas: 1,
  port: 8000,
  timeout: '10m',
  maxSteps: 25,
  maxDelegationDepth: 8,
  concurrency: 1,
  revisionHistoryLimit: 10,
} as const

const executionModel = Type.Unsafe<'service' | 'job'>({
  type: 'string',
  enum: ['service', 'job'],
  default: 'service',
  description: 'service stays up and answers; job runs once and needs a process of its own.',
})

const rollout = Type.Object(
  {
    revisionHistoryLimit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Number of old revisions to keep. Defaults to 10.' }),
    ),
  },
  { additionalProperties: false, description: 'How revisions are kept.' },
)

/** Schema of the spec; the simplified agent format uses the same parts. */
export const agentSpec = Type.Object(
  {
    image: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[^\\s]+$',
        description: 'Container image of the agent.',
      }),
    ),
    executionModel: Type.Optional(executionModel),
    runtime: Type.Optional(runtime),
    resources: Type.Optional(resources),
    scaling: Type.Optional(scaling),
    pod: Type.Optional(pod),
    model: Type.Optional(model),
    prompt: Type.Optional(prompt),
    systemPrompt: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 131072,
        description: 'System prompt of a declarative agent; excludes prompt.',
      }),
    ),
    tools: Type.Optional(tools),
    registries: Type.Optional(
      objectRefs('AgentRegistry', 'Registries that the agent joins: it may call their members.'),
    ),
    a2a: Type.Optional(a2a),
    delegates: Type.Optional(delegates),
    guardrails: Type.Optional(objectRefs('GuardrailPolicy', 'Policies applied to model calls and tool calls.')),
    knowledge: Type.Optional(keyedRefs('KnowledgeBase', 'Knowledge bases that the agent may search.')),
    secrets: Type.Optional(localRefs('SecretBinding', 'Secret bindings made available to the agent.')),
    memory: Type.Optional(memory),
    budget: Type.Optional(budget),
    limits: Type.Optional(limits),
    tracePolicy: Type.Optional(tracePolicy),
    recording: Type.Optional(runRecording),
    evalGate: Type.Optional(evalGate),
    rollout: Type.Optional(rollout),
  },
  {
    additionalProperties: false,
    description: 'Desired agent: declarative (neither image nor runtime.command), a command, or an image.',
    'x-kubernetes-validations': [
      {
        rule: '!(has(self.prompt) && has(self.systemPrompt))',
        message: 'prompt and systemPrompt are mutually exclusive',
      },
      {
        rule: "!has(self.scaling) || !has(self.executionModel) || self.executionModel != 'job'",
        message: 'a job has no scaling',
        fieldPath: '.scaling',
      },
      {
        rule: 'has(self.model) || has(self.image) || (has(self.runtime) && has(self.runtime.command))',
        message: 'a declarative agent (neither image nor runtime.command) needs model.route',
      },
      {
        rule: '!has(self.evalGate) || !has(self.executionModel) || self.executionModel != "job"',
        message: 'a job has no evalGate',
        fieldPath: '.evalGate',
      },
    ],
  },
)

const revisionName = (description: string) => Type.Optional(Type.String({ maxLength: 253, description }))

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 2147483647, description }))

const lastTermination = Type.Object(
  {
    pod: Type.String({ maxLength: 253, description: 'The pod.' }),
    container: Type.String({ maxLength: 63, description: 'Its container: agent or launcher.' }),
    reason: Type.String({ maxLength: 128, description: 'Why, as the kubelet reports it, such as OOMKilled or Error.' }),
    exitCode: Type.Integer({ minimum: -2147483648, maximum: 2147483647, description: 'Exit code of the process.' }),
    restartCount: Type.Integer({
      minimum: 0,
      maximum: 2147483647,
      description: 'Restarts of the container before this termination.',
    }),
    finishedAt: Type.String({ format: 'date-time', description: 'Time of the termination.' }),
    message: Type.String({ maxLength: 1024, description: 'Explanation for users.' }),
  },
  { description: 'The last unrequested termination of a container of the agent.' },
)

const candidate = Type.Object(
  {
    revision: Type.String({ maxLength: 253, description: 'ControllerRevision that it runs.' }),
    number: Type.Integer({ minimum: 1, maximum: 2147483647, description: 'First number of that revision.' }),
    pods: Type.Array(
      Type.Object({
        uid: Type.String({ maxLength: 64, description: 'Uid of the pod.' }),
        address: Type.String({ maxLength: 45, description: 'IP address of the pod.' }),
        ready: Type.Boolean({ description: 'Whether it accepts runs.' }),
      }),
      {
        maxItems: 8,
        description: 'Its pods that have an address.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['uid'],
      },
    ),
  },
  { description: 'A revision that a gate holds, running beside the deployed one without traffic.' },
)

const unresolvedReference = Type.Object({
  reason: Type.String({ maxLength: 128, description: 'Why, as the condition ResolvedRefs has it.' }),
  kind: Type.String({ maxLength: 63, description: 'Kind of the object that the spec names.' }),
  namespace: Type.String({ maxLength: 63, description: 'Its namespace.' }),
  name: Type.String({ maxLength: 253, description: 'Its name.' }),
})

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    currentRevision: revisionName('ControllerRevision that serves.'),
    candidateRevision: revisionName('ControllerRevision that is being brought up or evaluated.'),
    latestSuccessfulRevision: revisionName('ControllerRevision that was ready last.'),
    latestSuccessfulTime: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time at which it was rolled out.' }),
    ),
    candidate: Type.Optional(candidate),
    servingRevisions: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 2147483647 }), {
        maxItems: 16,
        description: 'First numbers of the revisions whose pods take runs, highest first.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    replicas: count('Pods that exist, of every revision.'),
    readyReplicas: count('Pods that are ready.'),
    updatedReplicas: count('Pods of the newest revision.'),
    modelRoutes: Type.Optional(
      Type.Array(Type.String({ maxLength: 317 }), {
        maxItems: 256,
        description: 'Routes that revisions with running pods may call, as namespace/name; "*" is every route.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    lastTermination: Type.Optional(lastTermination),
    unresolvedReferences: Type.Optional(
      Type.Array(unresolvedReference, {
        maxItems: 16,
        description: 'Objects that the spec names and that the agent cannot use.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    selector: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Label selector of the pods, for autoscalers (`scale`).' }),
    ),
    url: Type.Optional(Type.String({ maxLength: 2048, description: 'Address of the agent inside the cluster.' })),
    evalGate: Type.Optional(
      Type.Object(
        {
          phase: Type.Enum(['Pending', 'Running', 'Passed', 'Failed', 'Inconclusive', 'Overridden', 'Error'], {
            description: 'Phase of the newest evaluation, or Overridden by a person.',
          }),
          score: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Score of the revision.' })),
          minScore: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Required score.' })),
          suiteRef: Type.Optional(Type.String({ maxLength: 253, description: 'Suite that scored it.' })),
          revision: revisionName('ControllerRevision that is scored: the newest one.'),
        },
        { description: 'What the gate knows of the newest revision.' },
      ),
    ),
    conditions: Type.Optional(conditions),
  },
  { description: 'Observed state of the agent.' },
)

/** An agent: its runtime, model, tools and limits. */
export const AgentDeployment = defineKind({
  kind: 'AgentDeployment',
  plural: 'agentdeployments',
  singular: 'agentdeployment',
  shortNames: ['agent', 'agents', 'ad'],
  scope: 'Namespaced',
  description: 'An AI agent: what runs, with which model, tools and limits.',
  spec: agentSpec,
  status,
  audited: [
    'image',
    'executionModel',
    'model.route',
    'model.allowRoutes',
    'scaling.replicas',
    'budget.amount',
    'budget.currency',
    'limits.timeout',
  ],
  indexed: ['tracePolicy'],
  scale: {
    specReplicasPath: '.spec.scaling.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  printerColumns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Degraded', type: 'string', jsonPath: '.status.conditions[?(@.type=="Degraded")].status' },
    { name: 'Updated', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'Model', type: 'string', jsonPath: '.spec.model.route' },
    { name: 'Revision', type: 'string', jsonPath: '.status.currentRevision' },
    { name: 'Gate', type: 'string', jsonPath: '.status.evalGate.phase' },
    { name: 'Score', type: 'number', jsonPath: '.status.evalGate.score', priority: 1 },
    { name: 'Execution', type: 'string', jsonPath: '.spec.executionModel', priority: 1 },
    { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
    { name: 'URL', type: 'string', jsonPath: '.status.url', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  rules: [
    {
      rule: "self.metadata.name.matches('^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$')",
      message:
        'the name of an agent is a DNS label of at most 52 characters that starts with a letter: it names a Service',
    },
  ],
})

/** See {@link AgentDeployment}. */
export type AgentDeploymentSpec = Static<typeof agentSpec>

/** Observed state of an agent. */
export type AgentDeploymentStatus = Static<typeof status>

/** An agent in its wire format. */
export type AgentDeploymentObject = ObjectOf<typeof AgentDeployment>
