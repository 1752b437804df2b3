import type { AgentDeploymentStatus } from '#schemas/crds/agent-deployment.ts'
import type { Happening } from './happening.ts'
import { describeEnd } from './pod-problem.ts'
import type { AgentPod, ContainerStatus, Terminated } from './pod-problem.ts'

/** The last end of a container that was not asked for, as the status of an agent shows it. */
export type Termination = NonNullable<AgentDeploymentStatus['lastTermination']>

/** Whether a pod has a container that ended by itself: its agent has something to show. Pure. */
export function hasTermination(pod: AgentPod): boolean {
  return terminationsOf(pod).length > 0
}

/**
 * The newest end of a container among an agent's pods and what its status showed before. A container that was restarted
 * serves again within seconds, so that no condition tells of it (PODA23). Pure.
 */
export function lastTermination(pods: readonly AgentPod[], before: Termination | undefined): Termination | undefined {
  return pods
    .flatMap(terminationsOf)
    .reduce((last, one) => (last === undefined || one.finishedAt > last.finishedAt ? one : last), before)
}

/** What a new termination tells; nothing when the status showed it already. Pure. */
export function terminationHappening(before: Termination | undefined, after: Termination | undefined): Happening[] {
  const isKnown = before?.finishedAt === after?.finishedAt && before?.pod === after?.pod
  if (after === undefined || isKnown) return []
  return [{ type: 'Warning', reason: after.reason, message: `Pod ${after.pod}: ${after.message}` }]
}

// A pod that is deleted ends its containers, and one that is done has no service to keep up.
function terminationsOf(pod: AgentPod): Termination[] {
  const { metadata, status, spec } = pod
  if (metadata.deletionTimestamp !== undefined) return []
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap((container) => {
    const ended = container.state?.terminated ?? container.lastState?.terminated
    const { finishedAt } = ended ?? {}
    // A time that is not known is null.
    if (ended === undefined || typeof finishedAt !== 'string') return []
    return ended.exitCode === 0 && spec?.restartPolicy === 'Never'
      ? []
      : [toTermination(pod, container, { ...ended, finishedAt })]
  })
}

function toTermination(
  pod: AgentPod,
  container: ContainerStatus,
  ended: Terminated & { readonly finishedAt: string },
): Termination {
  const { reason = 'Error', exitCode = 0, finishedAt } = ended
  const { message } = describeEnd(container, ended, pod)
  return {
    pod: pod.metadata.name,
    container: container.name,
    // A runtime may write anything here; the reason of an Event is one word.
    reason: /^[A-Za-z][A-Za-z0-9]{0,127}$/.test(reason) ? reason : 'Error',
    exitCode,
    restartCount: container.restartCount ?? 0,
    finishedAt,
    message: message.slice(0, 1024),
  }
}
