import { KubeError } from '#core/kube/status.ts'

/** What may be logged of an error: the cluster's texts can echo what somebody submitted, so only status and reason (M7). */
export function describeError(error: unknown): { readonly error: string } {
  if (error instanceof KubeError) return { error: `${error.name} ${error.status} ${error.reason}` }
  return { error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' }
}
