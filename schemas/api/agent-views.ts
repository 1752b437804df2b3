import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { Money, time, timeOrNull } from './common.ts'
import { spending } from './tenants.ts'

const count = (description: string, example: number) => Type.Integer({ minimum: 0, description, examples: [example] })
const orNull = <T extends Parameters<typeof Type.Array>[0]>(schema: T, description: string, example: unknown) =>
  exemplified(Type.Union([schema, Type.Null()], { description }), example)

/** Statistics of the runs of an agent in a window. */
export const AgentStatistics = Type.Object(
  {
    runs: count('Runs created in the window.', 42),
    failed: count('Those that failed, timed out or were rejected.', 2),
    p50Ms: orNull(Type.Number(), 'Median duration of ended runs, within 10 %; null without one.', 810),
    p95Ms: orNull(Type.Number(), '95th percentile of the duration, within 10 %; null without an ended run.', 5300),
    cost: orNull(Money, 'Null if no call has a known price, or if they have several currencies.', {
      amount: '0.420000',
      currency: 'USD',
    }),
    tokens: count('Input and output tokens.', 18_200),
    bins: described(
      Type.Array(
        Type.Object({ ok: count('Other runs.', 3), failed: count('Failed runs.', 0) }, { title: 'AgentStatisticsBin' }),
      ),
      'Runs of equal parts of the window, oldest first.',
    ),
  },
  { title: 'AgentStatistics', description: 'Runs of the agent in the window; absent if the caller may not list runs.' },
)

/** What the caller may do with an agent. */
export const AgentRights = Type.Object(
  {
    complete: Type.Boolean({
      description: 'False if the cluster cannot list the rights of the caller: further ones may exist.',
      examples: [true],
    }),
    update: Type.Boolean({ description: 'Change the agent.', examples: [true] }),
    patch: Type.Boolean({ description: 'Roll it back, label or annotate it.', examples: [true] }),
    delete: Type.Boolean({ description: 'Delete it.', examples: [true] }),
    invoke: Type.Boolean({ description: 'Start runs of it.', examples: [true] }),
    scale: Type.Boolean({ description: 'Set its number of replicas.', examples: [true] }),
    readLogs: Type.Boolean({ description: 'Read the logs of its pods.', examples: [true] }),
    listVersions: Type.Boolean({ description: 'List and compare its versions.', examples: [true] }),
    listRuns: Type.Boolean({ description: 'List its runs.', examples: [true] }),
    cancelRuns: Type.Boolean({ description: 'Answer and cancel its runs.', examples: [true] }),
  },
  {
    title: 'AgentRights',
    description: 'What the caller may do with the agent, for showing controls; the cluster decides on each request.',
  },
)

const termination = Type.Object(
  {
    container: Type.String({ description: 'Name of the container.', examples: ['agent'] }),
    reason: Type.String({ description: 'Reason of the container runtime.', examples: ['OOMKilled'] }),
    exitCode: Type.Integer({ description: 'Exit code.', examples: [137] }),
    finishedAt: described(time, 'When it ended.'),
  },
  { title: 'PodTermination' },
)

/** A pod of an agent. */
export const AgentPodView = Type.Object(
  {
    name: Type.String({ description: 'Name of the pod.', examples: ['hello-7c9d'] }),
    phase: Type.String({ description: 'Phase of the pod.', examples: ['Running'] }),
    ready: Type.Boolean({ description: 'Whether it serves runs.', examples: [true] }),
    restarts: count('Restarts of its containers.', 0),
    revision: orNull(Type.Integer(), 'Revision of the agent that it runs; null if unknown.', 3),
    startedAt: described(timeOrNull, 'When it was created.'),
    lastTermination: orNull(termination, 'The newest unrequested end of a container; null without one.', null),
  },
  { title: 'AgentPodView' },
)

/** A Kubernetes Event of an agent or of one of its pods. */
export const AgentKubeEvent = Type.Object(
  {
    object: Type.String({ description: 'Kind and name of the object.', examples: ['AgentDeployment/hello'] }),
    type: Type.String({ description: 'Normal or Warning.', examples: ['Normal'] }),
    reason: Type.String({ description: 'One word.', examples: ['RolledOut'] }),
    message: Type.String({ description: 'Text of the component.', examples: ['Revision 3 is rolled out.'] }),
    count: count('How often it happened.', 1),
    lastSeenAt: described(timeOrNull, 'When it happened last.'),
  },
  { title: 'AgentKubeEvent' },
)

/** Fields of agents that are shown on request. */
export const agentFields = {
  stats: Type.Optional(AgentStatistics),
  can: Type.Optional(AgentRights),
  budget: Type.Optional(
    Type.Union([described(spending, 'Money of the current window.'), Type.Null()], {
      description:
        'Money of `spec.budget` in its current window. Null without a budget, without the plugin budgets, and for a caller who may not list costs.',
    }),
  ),
  pods: Type.Optional(
    Type.Union([Type.Array(AgentPodView), Type.Null()], {
      description: 'Pods of the agent, at most 100; null for a caller who may not list pods.',
    }),
  ),
  events: Type.Optional(
    Type.Union([Type.Array(AgentKubeEvent), Type.Null()], {
      description:
        'Kubernetes Events of the agent and its pods, newest first, at most 50; null for a caller who may not list events.',
    }),
  ),
}

/** What lists of agents show on request. */
export const listIncludes = ['stats', 'can'] as const
/** What an agent shows on request. */
export const agentIncludes = [...listIncludes, 'budget', 'pods', 'events'] as const

const includeOf = (names: readonly string[]) =>
  Type.Optional(
    Type.String({
      maxLength: 200,
      description: `Further fields with commas between them: ${names.map((name) => `\`${name}\``).join(', ')}.`,
    }),
  )

const statsQuery = {
  window: Type.Optional(
    Type.String({ maxLength: 64, default: '24h', description: 'Window of `stats` until now, from 1m to 90d.' }),
  ),
  bins: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 24, description: 'Parts of the window, of at least a minute.' }),
  ),
}

/** Parameters of a list of agents that ask for more. */
export const agentListViews = { include: includeOf(listIncludes), ...statsQuery }
/** Parameters of an agent that ask for more. */
export const agentViews = { include: includeOf(agentIncludes), ...statsQuery }

/** See {@link AgentRights}. */
export type AgentRights = Static<typeof AgentRights>
/** See {@link AgentPodView}. */
export type AgentPodView = Static<typeof AgentPodView>
/** See {@link AgentKubeEvent}. */
export type AgentKubeEvent = Static<typeof AgentKubeEvent>
/** See {@link AgentStatistics}. */
export type AgentStatistics = Static<typeof AgentStatistics>
