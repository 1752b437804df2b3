import { isIP } from 'node:net'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import type { AgentPod } from './agent-pod.ts'

/** A revision that a gate holds and that runs, or should, beside the deployed one. */
export interface CandidateState {
  readonly revision: string
  readonly number: number
  /** Why it does not run. */
  readonly problem: ConditionProblem | undefined
  /** Pods of this revision that have not ended. */
  readonly pods: readonly AgentPod[]
}

type CandidatePods = NonNullable<AgentDeploymentStatus['candidate']>['pods']

const MAX_PODS = 8

/** The candidate in the status of its agent, by which workers find its pods. Pure. */
export function toCandidateStatus({ revision, number, pods }: CandidateState) {
  return { candidateRevision: revision, candidate: { revision, number, pods: podsOf(pods) } }
}

/** The condition `CandidateReady`. Pure. */
export function candidateReady({ revision, problem, pods }: CandidateState): ConditionValue {
  const type = 'CandidateReady'
  if (podsOf(pods).some(({ ready }) => ready))
    return { type, status: 'True', reason: 'Running', message: `Revision ${revision} runs without traffic.` }
  if (problem !== undefined) return { type, status: 'False', ...problem }
  return { type, status: 'False', reason: 'Progressing', message: `Waiting for a pod of ${revision}.` }
}

function podsOf(pods: readonly AgentPod[]): CandidatePods {
  return pods
    .flatMap(({ metadata, status }) => {
      const { uid } = metadata
      const address = status?.podIP ?? ''
      if (uid === undefined || isIP(address) === 0) return []
      const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
      return [{ uid, address, ready: isReady && metadata.deletionTimestamp === undefined }]
    })
    .slice(0, MAX_PODS)
}
