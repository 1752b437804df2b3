import { toConditionsStatus } from '#core/controllers/conditions.ts'
import type { ConditionValue } from '#core/controllers/conditions.ts'
import type { Reconciler } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { SecretBinding } from '#schemas/crds/secret-binding.ts'
import type { SecretBindingObject } from '#schemas/crds/secret-binding.ts'
import { findSecretProblem } from './find-secret.ts'
import type { SecretProblem } from './find-secret.ts'

// The watch delivers the newer object within this time.
const WHILE_STALE_MS = 200
// The manager may not watch Secrets.
const WHILE_BROKEN_MS = 15_000
const REFRESH_MS = 300_000

/** Writes the conditions of SecretBindings: ResolvedRefs, Ready. */
export function secretBindingReconciler({
  cluster,
  now,
}: {
  readonly cluster: KubeClient
  readonly now: () => Date
}): Reconciler {
  return {
    name: 'secretbindings',
    resource: SecretBinding,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    reconcile: async (_ref, cached) => {
      const binding = cached as SecretBindingObject | undefined
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) return {}
      const problem = await findSecretProblem(cluster, binding)
      const status = toConditionsStatus(binding, toValues(problem), now())
      if (!(await writeStatus(cluster, SecretBinding, binding, status))) return { requeueAfterMs: WHILE_STALE_MS }
      return { requeueAfterMs: problem === undefined ? REFRESH_MS : WHILE_BROKEN_MS }
    },
  }
}

function toValues(problem: SecretProblem | undefined): readonly ConditionValue[] {
  if (problem !== undefined)
    return ['ResolvedRefs', 'Ready'].map((type) => ({ type, status: 'False' as const, ...problem }))
  return [
    { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: 'The Secret has every key.' },
    { type: 'Ready', status: 'True', reason: 'Ready', message: 'Agents get the keys.' },
  ]
}
