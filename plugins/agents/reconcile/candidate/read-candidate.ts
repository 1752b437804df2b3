import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { CANDIDATE_LABEL, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { pods as podResource } from '../../contract/resources.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import type { HeldRevision } from '../parts/ask-gates.ts'
import { findOwn } from '../owned/apply-child.ts'
import type { AgentPod } from '../status/agent-pod.ts'
import type { CandidateState } from '../status/candidate-status.ts'
import { podProblem } from '../status/pod-problem.ts'
import { deploymentProgress } from '../status/workload-progress.ts'
import type { DeploymentView } from '../status/workload-progress.ts'

/** The revision of a candidate. */
export interface CandidateRevision {
  readonly revision: string
  readonly number: number
}

/** Whether a held revision runs meanwhile: each gate that holds it must agree, since one may wait for what its pods need. */
export function wantsCandidate(held: readonly HeldRevision[]): boolean {
  return held.length > 0 && held.every(({ candidate }) => candidate === true)
}

/** Pods of the agent's candidates that have not ended, of every revision. */
export async function listCandidatePods(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
): Promise<readonly AgentPod[]> {
  const namespace = parseLabel('metadata.namespace', agent.metadata.namespace ?? '')
  const labelSelector = `${CANDIDATE_LABEL}=${agent.metadata.name}`
  const { items } = await cluster.list<AgentPod>(podResource, { namespace, labelSelector })
  return items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
}

/** Reads the candidate after the writes. `problem` is why its objects could not be made. */
export async function readCandidate(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  { revision, number, problem, now }: CandidateRevision & { readonly problem: ConditionProblem | undefined; now: Date },
): Promise<CandidateState> {
  const live = problem === undefined ? await findOwn<DeploymentView>(cluster, agent, 'Deployment', revision) : undefined
  if (live === undefined) return { revision, number, problem, pods: [] }
  const all = await listCandidatePods(cluster, agent)
  const pods = all.filter(({ metadata }) => metadata.labels?.[REVISION_NUMBER_LABEL] === String(number))
  const port = agent.spec.runtime?.port ?? AGENT_DEFAULTS.port
  const { failure } = deploymentProgress(live)
  return { revision, number, problem: podProblem(pods, { now, port }) ?? failure, pods }
}
