import { KubeError } from '#core/kube/status.ts'
import { NotOwned } from '../owned/apply-child.ts'
import type { ConditionProblem } from '../conditions/problem.ts'

/** Runs writes; returns the problem for a condition if the cluster refuses one permanently, or if an object cannot be written. */
export async function blockedBy(work: () => Promise<void>): Promise<ConditionProblem | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof NotOwned) return { reason: error.reason, message: error.message }
    // A retry would fail the same way, so the owner is informed by a condition instead of the manager's log.
    if (error instanceof KubeError && permanentStatuses.has(error.status)) return clusterRefusalOf(error)
    throw error
  }
}

/** The problem if the cluster refused a call; undefined if it was unreachable, or if the object was changed meanwhile. */
export function clusterRefusalOf(error: unknown): ConditionProblem | undefined {
  if (!(error instanceof KubeError)) return undefined
  const isRefusal = permanentStatuses.has(error.status) || (error.status >= 500 && !unreachable.has(error.status))
  return isRefusal ? { reason: CLUSTER_REFUSED, message: refusalText(error) } : undefined
}

// Statuses: invalid, forbidden (by a quota, an admission policy or missing rights of the manager), too large.
const permanentStatuses: ReadonlySet<number> = new Set([400, 403, 413, 422])

const unreachable: ReadonlySet<number> = new Set([503, 504])

/** Reason of the condition when the API server refuses an object of the agent. */
export const CLUSTER_REFUSED = 'ClusterRefused'

function refusalText({ message, details: { kind, name } }: KubeError): string {
  return kind === undefined || name === undefined ? message : `${kind} ${name}: ${message}`
}
