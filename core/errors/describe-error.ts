import { KubeError } from '#core/kube/status.ts'

/** Loggable parts of an error. The cluster's messages can echo submitted values, so only status and reason are logged (M7). */
export function describeError(error: unknown): { readonly error: string } {
  if (error instanceof KubeError) return { error: `${error.name} ${error.status} ${error.reason}` }
  return { error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' }
}
