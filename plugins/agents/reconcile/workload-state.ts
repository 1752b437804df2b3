import type { KubeClient } from '#core/kube/client.ts'
import { parseLabel } from '#core/kube/names.ts'
import { AGENT_DEFAULTS } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL } from '#schemas/labels.ts'
import { controllerRevisions, pods as podResource } from '../resources.ts'
import type { Revision } from '../versions/revisions.ts'
import type { Refusal } from './accept.ts'
import { find } from './apply.ts'
import { REVISION_ANNOTATION } from './objects.ts'
import { isOwnedBy, refIn } from './owner.ts'
import { podProblem } from './pod-problem.ts'
import type { AgentPod } from './pod-problem.ts'
import { deploymentProgress, jobProgress } from './progress.ts'
import type { Deployment, Job, Progress } from './progress.ts'

/** The running objects of an agent. */
export interface WorkloadState {
  readonly deployed: string | undefined
  readonly progress: Progress | undefined
  readonly podProblem: Refusal | undefined
  readonly pods: readonly AgentPod[]
}

/** Reads the workload after the writes, also if the newest spec was refused and an older revision serves. */
export async function readWorkload(
  cluster: KubeClient,
  agent: AgentDeploymentObject,
  now: Date,
): Promise<WorkloadState> {
  const name = agent.spec.executionModel === 'job' ? await newestJob(cluster, agent) : agent.metadata.name
  const kind = agent.spec.executionModel === 'job' ? 'Job' : 'Deployment'
  const live = name === undefined ? undefined : await find<Deployment & Job>(cluster, kind, refIn(agent, name))
  if (live === undefined || !isOwnedBy(live, agent))
    return { deployed: undefined, progress: undefined, podProblem: undefined, pods: [] }
  const progress = kind === 'Job' ? jobProgress(live) : deploymentProgress(live)
  const pods = await readPods(cluster, agent)
  // A failed Job reports its reason itself.
  const settled = progress.complete || progress.failure?.reason === 'JobFailed'
  const port = agent.spec.runtime?.port ?? AGENT_DEFAULTS.port
  return {
    deployed: live.metadata.annotations?.[REVISION_ANNOTATION],
    progress,
    podProblem: settled ? undefined : podProblem(pods, { now, port }),
    pods,
  }
}

async function newestJob(cluster: KubeClient, agent: AgentDeploymentObject): Promise<string | undefined> {
  const revisions = await readRevisions(cluster, agent)
  return revisions.toSorted((a, b) => a.revision - b.revision).at(-1)?.metadata.name
}

async function readPods(cluster: KubeClient, agent: AgentDeploymentObject): Promise<readonly AgentPod[]> {
  const page = await cluster.list<AgentPod>(podResource, selected(agent))
  return page.items
}

/** The agent's own revisions. */
export async function readRevisions(cluster: KubeClient, agent: AgentDeploymentObject): Promise<Revision[]> {
  const page = await cluster.list<Revision>(controllerRevisions, selected(agent))
  return page.items.filter((revision) => isOwnedBy(revision, agent))
}

function selected(agent: AgentDeploymentObject) {
  const namespace = parseLabel('metadata.namespace', agent.metadata.namespace ?? '')
  return { namespace, labelSelector: `${AGENT_LABEL}=${agent.metadata.name}` }
}
