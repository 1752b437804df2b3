import { isDeepStrictEqual } from 'node:util'
import type { KubeClient, KubeObject, ObjectRef, Resource } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import type { Condition } from '#schemas/object.ts'

/** A condition without its times. */
export type ConditionValue = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>

/** Status of a kind that only reports conditions. */
export interface ConditionsStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

/** Computes the status from conditions. Transition times of unchanged conditions are kept. Pure. */
export function toConditionsStatus(
  object: KubeObject<unknown, ConditionsStatus>,
  verdicts: readonly ConditionValue[],
  now: Date,
): ConditionsStatus {
  const observedGeneration = object.metadata.generation ?? 0
  const conditions = verdicts.map((verdict) => {
    const before = object.status?.conditions?.find(({ type }) => type === verdict.type)
    // Whole seconds, as Kubernetes writes them.
    const time = now.toISOString().replace(/\.\d+Z$/, 'Z')
    const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : time
    return { ...verdict, lastTransitionTime, observedGeneration }
  })
  return { observedGeneration, conditions }
}

/** Writes a status if it differs. Returns false if the object was changed or deleted, so that no successor receives it. */
export async function writeConditions(
  cluster: KubeClient,
  resource: Resource,
  ref: ObjectRef,
  { object, status }: { readonly object: KubeObject<unknown, ConditionsStatus>; readonly status: ConditionsStatus },
): Promise<boolean> {
  if (isDeepStrictEqual(object.status, status)) return true
  const { resourceVersion } = object.metadata
  const body = { metadata: { resourceVersion }, status }
  try {
    await cluster.patch(resource, ref, { type: 'merge', body }, { subresource: 'status', fieldManager: 'mesh-manager' })
    return true
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 404)) return false
    throw error
  }
}
