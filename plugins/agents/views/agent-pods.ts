import type { Caller } from '#core/cluster/caller.ts'
import { parseLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AgentPodView } from '#schemas/api/agent-views.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { AGENT_LABEL, REVISION_NUMBER_LABEL } from '#schemas/names/labels.ts'
import { pods as podResource } from '../contract/resources.ts'
import type { AgentPod } from '../reconcile/status/agent-pod.ts'
import { lastTermination } from '../reconcile/status/last-termination.ts'

const MOST_PODS = 100

/** Pods of an agent as the caller; null for a caller who may not list them. */
export async function readAgentPods(
  caller: Caller,
  { metadata: { namespace = '', name } }: AgentDeploymentObject,
  signal: AbortSignal,
): Promise<readonly AgentPodView[] | null> {
  const options = {
    namespace: parseLabel('namespace', namespace),
    labelSelector: `${AGENT_LABEL}=${name}`,
    limit: MOST_PODS,
    signal,
  }
  const found = await orDenied(caller.cluster.list<AgentPod>(podResource, options))
  return found === null ? null : found.items.map(toView)
}

/** The result of a read; null if the cluster denies it. */
export async function orDenied<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (isStatus(error, 403)) return null
    throw error
  }
}

function toView(pod: AgentPod): AgentPodView {
  const { metadata, status } = pod
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const ended = lastTermination([pod], undefined)
  const revision = Number(metadata.labels?.[REVISION_NUMBER_LABEL] ?? Number.NaN)
  return {
    name: metadata.name,
    phase: status?.phase ?? 'Unknown',
    ready: status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
    restarts: containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    revision: Number.isInteger(revision) ? revision : null,
    startedAt: metadata.creationTimestamp ?? null,
    lastTermination:
      ended === undefined
        ? null
        : {
            container: ended.container,
            reason: ended.reason,
            exitCode: ended.exitCode,
            finishedAt: ended.finishedAt,
          },
  }
}
