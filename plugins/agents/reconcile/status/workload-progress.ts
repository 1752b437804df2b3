import type { KubeObject } from '#core/kube/client.ts'
import { refusedPodsMessage } from './refused-pods.ts'

/** Progress of a workload. */
export interface Progress {
  /** A pod of any revision is available. */
  readonly serving: boolean
  /** All desired pods have the newest template and are available. */
  readonly complete: boolean
  readonly scaledToZero: boolean
  /** Set if the workload cannot progress by itself. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined
  /** Pods as the Deployment counts them; undefined for a Job. */
  readonly counts?: ReplicaCounts
}

/** Numbers of pods for the status of the agent. */
export interface ReplicaCounts {
  readonly replicas: number
  readonly readyReplicas: number
  readonly updatedReplicas: number
}

/** A Deployment, reduced to the fields that are read here. */
export type DeploymentView = KubeObject<
  { readonly replicas?: number },
  {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
>

interface WorkloadCondition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** A Job, reduced to the fields that are read here. */
export type JobView = KubeObject<
  unknown,
  {
    readonly active?: number
    readonly ready?: number
    readonly succeeded?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[]
  }
>

/** The progress of a Deployment. Pure. */
export function deploymentProgress(deployment: DeploymentView): Progress {
  const { status = {}, metadata } = deployment
  const wanted = deployment.spec?.replicas ?? 1
  const [total, updated, available] = [status.replicas ?? 0, status.updatedReplicas ?? 0, status.availableReplicas ?? 0]
  // Until the controller has observed the newest template, its numbers describe the previous one.
  const observed = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  const stuck = status.conditions?.some((one) => one.type === 'Progressing' && one.status === 'False') === true
  return {
    serving: available > 0,
    complete: observed && updated >= wanted && available >= wanted && total <= updated,
    scaledToZero: wanted === 0,
    counts: { replicas: total, readyReplicas: status.readyReplicas ?? 0, updatedReplicas: updated },
    failure:
      refusedPods(status.conditions) ??
      (stuck
        ? { reason: 'ProgressDeadlineExceeded', message: 'The pods of the new revision did not become ready in time.' }
        : undefined),
  }
}

// A quota, an admission policy or Pod Security refuses the pods (PODA13).
function refusedPods(conditions: readonly WorkloadCondition[] = []): Progress['failure'] {
  const refused = conditions.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')
  if (refused === undefined) return undefined
  return {
    reason: refused.reason ?? 'ReplicaFailure',
    message: refusedPodsMessage(refused.message ?? '').slice(0, 1024),
  }
}

/** The progress of a Job: a finished Job is complete and no longer serves. Pure. */
export function jobProgress(job: JobView): Progress {
  const { status = {} } = job
  const has = (type: string): boolean =>
    status.conditions?.some((one) => one.type === type && one.status === 'True') === true
  const done = has('Complete') || (status.succeeded ?? 0) > 0
  return {
    serving: done || (status.ready ?? 0) > 0,
    complete: done || (status.ready ?? 0) > 0,
    scaledToZero: false,
    failure: has('Failed') ? { reason: 'JobFailed', message: 'The job reached its limit of failures.' } : undefined,
  }
}
