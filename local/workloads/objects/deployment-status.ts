import type { LocalDeployment } from './workload-objects.ts'

/** Replica counts of a Deployment. */
export interface DeploymentCount {
  readonly wanted: number
  readonly total: number
  readonly updated: number
  readonly updatedReady: number
  readonly ready: number
  /** The rollout took longer than `progressDeadlineSeconds`. */
  readonly overdue: boolean
  readonly now: Date
}

interface DeploymentCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  readonly lastUpdateTime: string
  readonly lastTransitionTime: string
}

/** The status as the Deployment controller writes it; an unchanged condition keeps its time. Pure. */
export function deploymentStatus(deployment: LocalDeployment, count: DeploymentCount) {
  const complete = count.updatedReady >= count.wanted && count.total === count.updated
  const available = count.ready >= count.wanted
  const progress = complete
    ? { holds: true, reason: 'NewReplicaSetAvailable' }
    : count.overdue
      ? { holds: false, reason: 'ProgressDeadlineExceeded' }
      : { holds: true, reason: 'ReplicaSetUpdated' }
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: count.total,
    updatedReplicas: count.updated,
    readyReplicas: count.ready,
    availableReplicas: count.ready,
    unavailableReplicas: Math.max(0, count.wanted - count.ready),
    conditions: [
      condition(deployment, 'Available', {
        holds: available,
        reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        now: count.now,
      }),
      condition(deployment, 'Progressing', { ...progress, now: count.now }),
    ],
  }
}

/** True if a rollout exceeds its deadline; a crash after the rollout does not count (UXM14). */
export function isOverdue(
  rollout: { readonly rolledOut: boolean; readonly rolloutBegan: number },
  deadlineSeconds: number,
  now: number,
): boolean {
  return !rollout.rolledOut && now - rollout.rolloutBegan > deadlineSeconds * 1000
}

/** A condition of the Deployment; an unchanged one keeps its times. */
export function condition(
  deployment: LocalDeployment,
  type: string,
  { holds, reason, message = reason, now }: { holds: boolean; reason: string; message?: string; now: Date },
): DeploymentCondition {
  const all = (deployment.status?.['conditions'] ?? []) as readonly DeploymentCondition[]
  const before = all.find((one) => one.type === type)
  const status = holds ? 'True' : 'False'
  if (before?.status === status && before.reason === reason) return before
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
  return {
    type,
    status,
    reason,
    message,
    lastUpdateTime: time,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : time,
  }
}
