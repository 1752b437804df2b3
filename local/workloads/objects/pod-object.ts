import { randomBytes } from 'node:crypto'
import type { KubeObject } from '#core/kube/client.ts'
import { groupKey } from '#schemas/names/group.ts'
import { AGENT_LISTENS } from '#schemas/names/labels.ts'
import { controllerReference } from './workload-objects.ts'
import type { Pod, PodTemplate } from './workload-objects.ts'

/** The node of local pods; its pods are deleted at the next start. */
export const LOCAL_NODE = 'local'

/** Label of pods that are local processes. */
export const LOCAL_LABEL = groupKey('local-node')

/** Label with the hash of a pod's template. */
export const TEMPLATE_LABEL = 'pod-template-hash'

/** Current state of a container. */
export type ContainerState =
  | {
      readonly is: 'waiting'
      readonly reason: string
      readonly message: string
    }
  | {
      readonly is: 'running'
      readonly startedAt: Date
      readonly ready: boolean
      /** The port on which the agent does not respond after its start-up time. */
      readonly silentPort?: number | undefined
    }
  | ({ readonly is: 'ended' } & ContainerEnd)

/** The end of a container. */
export interface ContainerEnd {
  readonly exitCode: number
  readonly at: Date
  readonly lastLine?: string | undefined
}

/** History of a container. */
export interface ContainerHistory {
  readonly restarts: number
  /** Its last end; the status keeps it while the container runs again. */
  readonly lastEnd?: ContainerEnd | undefined
}

/** A pod of a workload's template. */
export function toPod(owner: KubeObject, template: PodTemplate, hash: string): Pod {
  const suffix = randomBytes(4).toString('hex').slice(0, 5)
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner.metadata.name}-${hash.slice(0, 6)}-${suffix}`,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...template.metadata?.labels, [TEMPLATE_LABEL]: hash, [LOCAL_LABEL]: LOCAL_NODE },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...template.spec, nodeName: LOCAL_NODE } as Pod['spec'] & object,
  }
}

/** The status of a pod with one container of interest, as a kubelet would write it. */
export function toPodStatus(
  container: { name: string; image: string },
  state: ContainerState,
  { restarts, lastEnd }: ContainerHistory,
) {
  const ready = state.is === 'running' && state.ready
  const condition = (type: string, holds: boolean) => ({ type, status: holds ? 'True' : 'False' })
  return {
    phase: phaseOf(state, lastEnd),
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', ready),
      condition('Ready', ready),
      ...(state.is === 'running' && state.silentPort !== undefined ? [silentAgent(state.silentPort)] : []),
    ],
    containerStatuses: [
      {
        name: container.name,
        image: container.image,
        imageID: '',
        ready,
        started: state.is === 'running',
        restartCount: restarts,
        state: toStateObject(state),
        ...(state.is === 'ended' || lastEnd === undefined ? {} : { lastState: { terminated: toTerminated(lastEnd) } }),
      },
    ],
  }
}

function toStateObject(state: ContainerState): object {
  if (state.is === 'running') return { running: { startedAt: timestamp(state.startedAt) } }
  if (state.is === 'waiting') return { waiting: { reason: state.reason, message: state.message } }
  return { terminated: toTerminated(state) }
}

// Like a kubelet with `FallbackToLogsOnError`: the last log line explains failures only.
function toTerminated({ exitCode, at, lastLine }: ContainerEnd): object {
  const finishedAt = timestamp(at)
  if (exitCode === 0) return { exitCode, finishedAt, reason: 'Completed' }
  return { exitCode, finishedAt, reason: 'Error', ...(lastLine === undefined ? {} : { message: lastLine }) }
}

// The port is allocated at each start and known only from the pod.
function silentAgent(port: number) {
  const message = `the agent does not respond on AGENT_PORT=${port}: this machine allocates the port, so the agent must read it from its environment`
  return { type: AGENT_LISTENS, status: 'False', reason: 'AgentNotListening', message }
}

function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z')
}

function phaseOf(state: ContainerState, lastEnd: ContainerEnd | undefined): string {
  if (state.is === 'ended') return state.exitCode === 0 ? 'Succeeded' : 'Failed'
  return state.is === 'running' || lastEnd !== undefined ? 'Running' : 'Pending'
}
