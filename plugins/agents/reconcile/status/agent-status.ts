import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { AgentDeploymentObject, AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { toConditions, toSeconds } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import { workloadType } from '../owned/workload-type.ts'
import { lastTermination } from './last-termination.ts'
import type { AgentPod } from './agent-pod.ts'
import { candidateReady, toCandidateStatus } from './candidate-status.ts'
import type { CandidateState } from './candidate-status.ts'
import type { Progress } from './workload-progress.ts'
import type { HeldRevision } from '../parts/ask-gates.ts'
import type { PodRoutes } from './model-routes.ts'
import type { PartCondition } from '../conditions/part-condition.ts'
import type { ReconcileSettings } from '../../contract/reconcile-settings.ts'

/** Findings of a reconciliation. */
export interface Findings extends PodRoutes {
  readonly agent: AgentDeploymentObject
  /** Why the spec was refused. */
  readonly refusal: ConditionProblem | undefined
  /** Why a reference does not resolve; undefined even when the spec was refused before. */
  readonly unresolved: ConditionProblem | undefined
  /** Why a found reference cannot be used now. Does not block a revision. */
  readonly warning?: ConditionProblem | undefined
  /** Why the objects could not be created: one of the names is taken. */
  readonly blocked: ConditionProblem | undefined
  /** Gates that hold the newest revision back. */
  readonly held?: readonly HeldRevision[]
  /** What evaluations know of the newest revision; undefined keeps what was known before. */
  readonly evalGate?: AgentDeploymentStatus['evalGate'] | undefined
  /** Conditions of plugins. */
  readonly parts?: readonly PartCondition[]
  /** The revision that the workload runs, or is moving to; undefined when there is no workload. */
  readonly deployed: string | undefined
  readonly progress: Progress | undefined
  readonly podProblem: ConditionProblem | undefined
  /** The held revision that runs meanwhile. */
  readonly candidate?: CandidateState | undefined
  /** The agent's pods, for terminations of their containers. */
  readonly pods?: readonly AgentPod[] | undefined
}

/** The settings that a status depends on. */
export type StatusSettings = Pick<ReconcileSettings, 'isolation'>

/** Computes the status. Transition times of unchanged conditions are kept. Pure. */
export function toStatus(found: Findings, settings: StatusSettings, now: Date): AgentDeploymentStatus {
  const { agent, deployed, progress } = found
  const before = agent.status
  const complete = progress?.complete === true && deployed !== undefined
  // Before the first complete rollout, the first available revision is the current one.
  const current =
    complete || (before?.currentRevision === undefined && progress?.serving) ? deployed : before?.currentRevision
  const latest = complete ? deployed : before?.latestSuccessfulRevision
  const termination = lastTermination(found.pods ?? [], before?.lastTermination)
  return {
    observedGeneration: agent.metadata.generation ?? 0,
    ...(current === undefined ? {} : { currentRevision: current }),
    ...(deployed === undefined || complete ? {} : { candidateRevision: deployed }),
    ...(found.candidate === undefined ? {} : toCandidateStatus(found.candidate)),
    ...toEvalGate(found),
    ...toServing(found.pods ?? []),
    ...(latest === undefined ? {} : { latestSuccessfulRevision: latest }),
    ...deployedSince(before, latest, now),
    ...progress?.counts,
    ...(found.routes.length === 0 ? {} : { modelRoutes: [...found.routes] }),
    ...(termination === undefined ? {} : { lastTermination: termination }),
    ...toUnresolved(found),
    ...(agent.spec.executionModel === 'job' ? {} : { selector: selectorOf(agent), url: urlOf(agent) }),
    conditions: toConditions(
      agent,
      [
        accepted(found),
        resolvedRefs(found),
        ...gated(found),
        ...(found.candidate === undefined ? [] : [candidateReady(found.candidate)]),
        isolated(agent, settings),
        ready(found, current),
        degraded(found),
        ...(found.parts ?? []),
      ],
      now,
    ),
  }
}

function toEvalGate({ agent, evalGate = agent.status?.evalGate }: Findings): Pick<AgentDeploymentStatus, 'evalGate'> {
  return agent.spec.evalGate === undefined || evalGate === undefined ? {} : { evalGate }
}

// By the labels of pods, which keep the number that their launchers compare: a roll-back gives its revision another one.
function toServing(pods: readonly AgentPod[]): Pick<AgentDeploymentStatus, 'servingRevisions'> {
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const numbers = alive.map(({ metadata }) => Number(metadata.labels?.[REVISION_NUMBER_LABEL]))
  const found = [...new Set(numbers)]
    .filter((one) => Number.isInteger(one) && one > 0 && one < 2 ** 31)
    .toSorted((a, b) => b - a)
  return found.length === 0 ? {} : { servingRevisions: found.slice(0, MAX_SERVING) }
}

const MAX_SERVING = 16

function toUnresolved({ unresolved }: Findings): Pick<AgentDeploymentStatus, 'unresolvedReferences'> {
  const { references = [] } = unresolved ?? {}
  return references.length === 0 ? {} : { unresolvedReferences: references.slice(0, MAX_UNRESOLVED) }
}

const MAX_UNRESOLVED = 16

// A status of an earlier version has no time: its revision was rolled out before.
function deployedSince(before: AgentDeploymentStatus | undefined, latest: string | undefined, now: Date) {
  if (latest === undefined) return {}
  const time = latest === before?.latestSuccessfulRevision ? before.latestSuccessfulTime : toSeconds(now)
  return time === undefined ? {} : { latestSuccessfulTime: time }
}

/**
 * The status before the objects of a generation are created: the verdicts on its spec. All other fields stay, and the generation counts as observed
 * once the objects exist. A new agent is not Ready. Pure.
 */
export function toAcceptedStatus(found: Findings, settings: StatusSettings, now: Date): AgentDeploymentStatus {
  const { agent } = found
  const before = agent.status?.conditions ?? []
  const isNew = before.every(({ type }) => type !== 'Ready')
  const values = [
    accepted(found),
    resolvedRefs(found),
    ...gated(found),
    isolated(agent, settings),
    ...(isNew ? [ready(found, undefined), degraded(found)] : []),
  ]
  const kept = before.filter(({ type }) => values.every((value) => value.type !== type))
  const { unresolvedReferences: _, ...status } = agent.status ?? {}
  return { ...status, ...toUnresolved(found), conditions: [...toConditions(agent, values, now), ...kept] }
}

/**
 * The status of an agent whose objects could not be read or written: the known status stays, and an agent that served still counts as serving. Pure.
 */
export function toRefusedStatus(
  agent: AgentDeploymentObject,
  problem: ConditionProblem,
  now: Date,
): AgentDeploymentStatus {
  const before = agent.status?.conditions ?? []
  const isServing = before.some(({ type, status }) => type === 'Ready' && status === 'True')
  const values: readonly ConditionValue[] = [
    ...(isServing ? [] : [{ type: 'Ready', status: 'False' as const, ...problem }]),
    { type: 'Degraded', status: 'True', ...problem },
  ]
  const kept = before.filter(({ type }) => values.every((value) => value.type !== type))
  return {
    ...agent.status,
    observedGeneration: agent.metadata.generation ?? 0,
    conditions: [...kept, ...toConditions(agent, values, now)],
  }
}

// HorizontalPodAutoscalers read it by the `scale` subresource to find the pods that they measure.
function selectorOf(agent: AgentDeploymentObject): string {
  return `${AGENT_LABEL}=${agent.metadata.name}`
}

/** The agent's address inside the cluster. */
export function urlOf(agent: AgentDeploymentObject): string {
  return `https://${agent.metadata.name}.${agent.metadata.namespace}.svc:${reservedPorts.invoke.port}`
}

/** Returns what prevents the newest spec from serving, first cause first. The spec may also still be starting. */
export function obstacleOf(found: Findings): ConditionProblem | undefined {
  const failing = found.progress?.complete === true ? undefined : (found.podProblem ?? found.progress?.failure)
  const obstacle = found.refusal ?? found.unresolved ?? found.blocked ?? failing
  return obstacle && { reason: obstacle.reason, message: obstacle.message }
}

function accepted({ refusal }: Findings): ConditionValue {
  if (refusal !== undefined) return { type: 'Accepted', status: 'False', ...refusal }
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'The spec can be run here.' }
}

function resolvedRefs({ refusal, unresolved, warning }: Findings): ConditionValue {
  const type = 'ResolvedRefs'
  const problem = unresolved ?? warning
  if (problem !== undefined) return { type, status: 'False', reason: problem.reason, message: problem.message }
  if (refusal !== undefined)
    return { type, status: 'Unknown', reason: 'NotAccepted', message: 'References were not checked.' }
  return { type, status: 'True', reason: 'ResolvedRefs', message: 'Every reference was found.' }
}

// One condition for each type, with the first gate that holds the revision back.
function gated(found: Findings): ConditionValue[] {
  const { agent, held = [] } = found
  const types = new Map(held.toReversed().map((hold) => [hold.condition ?? 'Gated', hold]))
  const verdicts = [...types].map(([type, { plugin, reason, message }]): ConditionValue => {
    return { type, status: 'True', reason, message: `${message} (plugin ${plugin})` }
  })
  if (types.has('EvalGated')) return verdicts
  return [openGate(agent.spec.evalGate?.suiteRef.name, found), ...verdicts]
}

// Without a plan of a revision no gate was asked, and a revision that was held is still without traffic.
function openGate(suite: string | undefined, { refusal, unresolved }: Findings): ConditionValue {
  const type = 'EvalGated'
  if (suite === undefined) return { type, status: 'False', reason: 'NoGate', message: 'The agent has no eval gate.' }
  const gate = `The eval gate ${suite}`
  if (refusal !== undefined)
    return {
      type,
      status: 'Unknown',
      reason: 'NotAccepted',
      message: `${gate} was not asked: the spec is not accepted.`,
    }
  if (unresolved !== undefined)
    return {
      type,
      status: 'Unknown',
      reason: 'NotResolved',
      message: `${gate} was not asked: a reference does not resolve. No newer revision serves until it does.`,
    }
  return { type, status: 'False', reason: 'NotHeld', message: `${gate} holds no revision back.` }
}

function isolated(agent: AgentDeploymentObject, settings: StatusSettings): ConditionValue {
  const type = 'Isolated'
  const form = workloadType(agent.spec)
  if (form === 'declarative')
    return { type, status: 'True', reason: 'NoAgentProcess', message: 'The launcher runs the agent itself.' }
  if (settings.isolation === 'container')
    return {
      type,
      status: 'True',
      reason: 'SeparateContainers',
      message: 'The agent has a container of its own: user, root file system, environment and process tree.',
    }
  const message =
    'The agent, its launcher and the platform run as the same user: the agent can read the tokens of every persona, including the admin.'
  return { type, status: 'False', reason: 'SameUser', message }
}

function ready(found: Findings, current: string | undefined): ConditionValue {
  const type = 'Ready'
  const { progress } = found
  if (progress?.serving === true && current !== undefined)
    return { type, status: 'True', reason: 'Serving', message: `Revision ${current} serves.` }
  const [hold] = found.held ?? []
  const obstacle = obstacleOf(found) ?? (hold && { reason: hold.reason, message: hold.message })
  if (obstacle !== undefined) return { type, status: 'False', ...obstacle }
  if (progress?.scaledToZero === true)
    return { type, status: 'False', reason: 'ScaledToZero', message: 'The agent is scaled to zero.' }
  return { type, status: 'False', reason: 'Progressing', message: 'Waiting for a replica to become ready.' }
}

// While an old revision serves, Ready is true. Degraded shows that the newest one does not become ready.
function degraded(found: Findings): ConditionValue {
  const obstacle = obstacleOf(found)
  if (obstacle !== undefined) return { type: 'Degraded', status: 'True', ...obstacle }
  return { type: 'Degraded', status: 'False', reason: 'AsExpected', message: 'No problem with the newest revision.' }
}
