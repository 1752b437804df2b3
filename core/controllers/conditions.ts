import type { KubeObject } from '#core/kube/client.ts'
import type { Condition } from '#schemas/kinds/object.ts'

/** A condition without its times. */
export type ConditionValue = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>

/** Status of a kind with conditions. */
export interface ConditionsStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

/** Adds times and the observed generation to conditions. A condition whose status is unchanged keeps its transition time. Pure. */
export function toConditions(
  object: KubeObject<unknown, ConditionsStatus>,
  values: readonly ConditionValue[],
  now: Date,
): Condition[] {
  const time = toSeconds(now)
  return values.map((value) => {
    const before = object.status?.conditions?.find(({ type }) => type === value.type)
    const lastTransitionTime = before?.status === value.status ? before.lastTransitionTime : time
    return { ...value, lastTransitionTime, observedGeneration: object.metadata.generation ?? 0 }
  })
}

/** A time in whole seconds, as Kubernetes writes it. Pure. */
export function toSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** The status of a kind that reports only conditions. Pure. */
export function toConditionsStatus(
  object: KubeObject<unknown, ConditionsStatus>,
  values: readonly ConditionValue[],
  now: Date,
): ConditionsStatus {
  return { observedGeneration: object.metadata.generation ?? 0, conditions: toConditions(object, values, now) }
}
