import type { KubeObject } from '#core/kube/client.ts'

/** One container's status in a Pod, as far as it is read here. */
interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string }
  }
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number; readonly reason?: string } }
}

/** A Pod, as far as it is read here. */
export type AgentPod = KubeObject<
  unknown,
  {
    readonly phase?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
>

// Every pod waits for a moment while it starts; these are no problem.
const usual: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** Why the newest pod that is not ready does not start: the reason for a condition, and what to look at. Pure. */
export function podProblem(
  pods: readonly AgentPod[],
): { readonly reason: string; readonly message: string } | undefined {
  const newest = pods
    .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isReady(pod))
    .toSorted((a, b) => (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''))
    .at(-1)
  if (newest === undefined) return undefined
  const statuses = [...(newest.status?.initContainerStatuses ?? []), ...(newest.status?.containerStatuses ?? [])]
  for (const status of statuses) {
    const problem = containerProblem(status)
    if (problem !== undefined) return problem
  }
  const scheduled = newest.status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  return scheduled === undefined
    ? undefined
    : { reason: scheduled.reason ?? 'Unschedulable', message: scheduled.message ?? '' }
}

function containerProblem(status: ContainerStatus): { reason: string; message: string } | undefined {
  const { waiting, terminated } = status.state ?? {}
  const ended = terminated ?? status.lastState?.terminated
  const code = ended?.exitCode ?? 0
  const how = `container ${status.name} exited with code ${code}${ended?.reason === 'OOMKilled' ? ' (out of memory)' : ''}`
  if (waiting?.reason !== undefined && !usual.has(waiting.reason)) {
    const message = code === 0 ? (waiting.message ?? '') : `${how}, ${status.restartCount ?? 0} restarts`
    return { reason: waiting.reason, message: `container ${status.name}: ${waiting.reason}. ${message}`.slice(0, 1024) }
  }
  if (terminated !== undefined && code !== 0) return { reason: terminated.reason ?? 'Error', message: how }
  return undefined
}

function isReady(pod: AgentPod): boolean {
  return pod.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
}
