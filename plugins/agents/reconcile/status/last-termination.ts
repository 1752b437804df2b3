import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import { describeEnd } from './pod-problem.ts'
import type { AgentPod, ContainerStatus, ContainerTermination } from './agent-pod.ts'

/** The last unrequested termination of a container, as shown in the status of an agent. */
export type Termination = NonNullable<AgentDeploymentStatus['lastTermination']>

/** Whether a pod has a container that terminated without a request. Pure. */
export function hasTermination(pod: AgentPod): boolean {
  return terminationsOf(pod).length > 0
}

/**
 * Returns the newest termination among an agent's pods and its previous status. A restarted container serves again within
 * seconds, so no condition shows it (PODA23). Pure.
 */
export function lastTermination(pods: readonly AgentPod[], before: Termination | undefined): Termination | undefined {
  return pods
    .flatMap(terminationsOf)
    .reduce((last, one) => (last === undefined || one.finishedAt > last.finishedAt ? one : last), before)
}

// Containers of a deleted pod are terminated on request, and a completed pod serves nothing.
function terminationsOf(pod: AgentPod): Termination[] {
  const { metadata, status, spec } = pod
  if (metadata.deletionTimestamp !== undefined) return []
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap((container) => {
    const ended = container.state?.terminated ?? container.lastState?.terminated
    const { finishedAt } = ended ?? {}
    // null if the time is unknown.
    if (ended === undefined || typeof finishedAt !== 'string') return []
    return ended.exitCode === 0 && spec?.restartPolicy === 'Never'
      ? []
      : [toTermination(pod, container, { ...ended, finishedAt })]
  })
}

function toTermination(
  pod: AgentPod,
  container: ContainerStatus,
  ended: ContainerTermination & { readonly finishedAt: string },
): Termination {
  const { reason = 'Error', exitCode = 0, finishedAt } = ended
  const { name, restartCount = 0, state } = container
  // Compared without the restart count, which depends on when the pod is read.
  const { message } = describeEnd({ name }, ended, pod)
  return {
    pod: pod.metadata.name,
    container: name,
    // Runtimes may write any string here; the reason of an Event is one word.
    reason: /^[A-Za-z][A-Za-z0-9]{0,127}$/.test(reason) ? reason : 'Error',
    exitCode,
    // The kubelet counts a restart when the container runs again.
    restartCount: state?.running === undefined ? restartCount : Math.max(0, restartCount - 1),
    finishedAt,
    message: message.slice(0, 1024),
  }
}
