import type { KubeClient } from '#core/kube/client.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { pods as podResource } from '../../contract/resources.ts'
import { newestOf } from '../../versions/revisions.ts'
import type { ConditionProblem } from '../conditions/problem.ts'
import { findOwn } from '../owned/apply-child.ts'
import { REVISION_ANNOTATION } from '../owned/names.ts'
import { listOptionsOf } from '../owned/owner-reference.ts'
import { listRevisions } from '../owned/list-revisions.ts'
import { podProblem } from './pod-problem.ts'
import type { AgentPod } from './agent-pod.ts'
import { deploymentProgress, jobProgress } from './workload-progress.ts'
import type { DeploymentView, JobView, Progress } from './workload-progress.ts'

/** The running objects of an agent. */
export interface WorkloadState {
  readonly deployed: string | undefined
  readonly progress: Progress | undefined
  readonly podProblem: ConditionProblem | undefined
  readonly pods: readonly AgentPod[]
}

/** Reads the workload after the writes, even if the newest spec was refused and an older revision serves. */
export async function readWorkload(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  now: Date,
): Promise<WorkloadState> {
  const { live, kind, deployed } = await readDeployed(cluster, agent)
  if (live === undefined) return { deployed: undefined, progress: undefined, podProblem: undefined, pods: [] }
  const progress = kind === 'Job' ? jobProgress(live) : deploymentProgress(live)
  const pods = await readPods(cluster, agent)
  // A failed Job reports its reason itself.
  const settled = progress.complete || progress.failure?.reason === 'JobFailed'
  const port = agent.spec.runtime?.port ?? AGENT_DEFAULTS.port
  return {
    deployed,
    progress,
    podProblem: settled ? undefined : podProblem(pods, { now, port }),
    pods,
  }
}

/** The workload of an agent, and the revision that it runs or is moving to. */
export async function readDeployed(cluster: KubeClient, agent: AgentDeploymentObject) {
  const isJob = agent.spec.executionModel === 'job'
  const name = isJob ? await newestJob(cluster, agent) : agent.metadata.name
  const kind = isJob ? 'Job' : 'Deployment'
  const live = name === undefined ? undefined : await findOwn<DeploymentView & JobView>(cluster, agent, kind, name)
  return { live, kind, deployed: live?.metadata.annotations?.[REVISION_ANNOTATION] } as const
}

async function newestJob(cluster: KubeClient, agent: AgentDeploymentObject): Promise<string | undefined> {
  const revisions = await listRevisions(cluster, agent)
  return newestOf(revisions)?.metadata.name
}

async function readPods(cluster: KubeClient, agent: AgentDeploymentObject): Promise<readonly AgentPod[]> {
  const page = await cluster.list<AgentPod>(podResource, listOptionsOf(agent))
  return page.items
}
