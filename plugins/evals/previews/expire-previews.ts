import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { EvalSuite } from '#schemas/crds/eval-suite.ts'
import { EXPIRES_AFTER_ANNOTATION } from '#schemas/names/labels.ts'
import { durationToMs } from '#schemas/values/duration.ts'

/** What deletes expired previews. */
export interface PreviewOptions {
  readonly cluster: KubeClient
  readonly now: () => Date
}

// A timer has at most 24 days.
const LONGEST_WAIT_MS = 86_400_000

/** Delete the agents and suites of previews that their maker has not deleted in time: it was killed (ADR 0312). */
export function previewReconcilers(options: PreviewOptions): readonly Reconciler[] {
  return [AgentDeployment, EvalSuite].map((resource) => ({
    name: `previews-${resource.plural}`,
    resource,
    concern: ({ metadata: { uid, deletionTimestamp, annotations } }) => [
      uid,
      deletionTimestamp,
      annotations?.[EXPIRES_AFTER_ANNOTATION],
    ],
    reconcile: (ref, object) => expire(options, { resource, ref, object }),
  }))
}

interface Preview {
  readonly resource: Resource
  readonly ref: ObjectRef
  readonly object: KubeObject | undefined
}

async function expire({ cluster, now }: PreviewOptions, { resource, ref, object }: Preview): Promise<ReconcileResult> {
  const { annotations, creationTimestamp = '', deletionTimestamp, uid } = object?.metadata ?? {}
  const lifetimeMs = durationToMs(annotations?.[EXPIRES_AFTER_ANNOTATION] ?? '')
  if (lifetimeMs === undefined || uid === undefined || deletionTimestamp !== undefined) return {}
  const leftMs = Date.parse(creationTimestamp) + lifetimeMs - now().getTime()
  if (leftMs > 0) return { requeueAfterMs: Math.min(leftMs, LONGEST_WAIT_MS) }
  await cluster.delete(resource, ref, { preconditions: { uid }, propagation: 'Background' }).catch((error: unknown) => {
    // Its maker has deleted it, or made another one.
    if (!isStatus(error, 404) && !isStatus(error, 409)) throw error
  })
  return {}
}
