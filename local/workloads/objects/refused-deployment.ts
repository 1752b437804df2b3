import type { LocalDeployment } from './workload-objects.ts'
import { condition } from './deployment-status.ts'

/** Shown by `kubectl describe` and, with the reason, by `kubectl rollout status`. */
const MESSAGE = 'the embedded default runs agents only'

/**
 * The status of a Deployment that is not an agent. `ReplicaFailure` has the reason. `kubectl rollout status` fails only for an exceeded
 * deadline, so the deadline is reported as exceeded immediately. Pure.
 */
export function refusedStatus(deployment: LocalDeployment, now: Date) {
  const { replicas: wanted = 1 } = deployment.spec ?? {}
  const refused = wanted > 0
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...(refused ? { unavailableReplicas: wanted } : {}),
    conditions: [
      condition(deployment, 'Available', {
        holds: !refused,
        reason: refused ? 'MinimumReplicasUnavailable' : 'MinimumReplicasAvailable',
        message: MESSAGE,
        now,
      }),
      condition(deployment, 'Progressing', {
        holds: !refused,
        reason: refused ? 'ProgressDeadlineExceeded' : 'NewReplicaSetAvailable',
        message: MESSAGE,
        now,
      }),
      ...(refused
        ? [condition(deployment, 'ReplicaFailure', { holds: true, reason: 'AgentsOnly', message: MESSAGE, now })]
        : []),
    ],
  }
}
