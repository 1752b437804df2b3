import { objectsOf } from '../../json/json-value.ts'
import type { KubeObject } from '../../json/kube-object.ts'
import { invalidValue, required } from '../../json/status.ts'
import type { Cause } from '../../json/status.ts'
import { fillDefaults } from './pod-defaults.ts'
import type { Defaults } from './pod-defaults.ts'
import { read, section } from '../parts/strategy-parts.ts'
import type { Strategy } from '../parts/strategy-parts.ts'
import { boundFaults } from './number-bounds.ts'

const BUDGET_COUNTS: Defaults = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

/** Defaults of a condition. */
function conditionFaults(object: KubeObject): Cause[] {
  return objectsOf(read(object, 'status', 'conditions')).flatMap((condition, i) =>
    ['lastTransitionTime', 'reason'].flatMap((key) =>
      condition[key] ? [] : [required(`status.conditions[${i}].${key}`)],
    ),
  )
}

/** Strategy of PodDisruptionBudgets: one bound, not both. */
export const disruptionBudget: Strategy = {
  defaults: (object) => fillDefaults(section(object, 'status'), BUDGET_COUNTS),
  create(object) {
    object['status'] = {}
    fillDefaults(section(object, 'status'), BUDGET_COUNTS)
  },
  validate: (object) => {
    const { minAvailable: MinAvailable, maxUnavailable: MaxUnavailable } = section(object, 'spec')
    const found = [
      ...boundFaults(MinAvailable, 'minAvailable'),
      ...boundFaults(MaxUnavailable, 'maxUnavailable'),
      ...conditionFaults(object),
    ]
    if (MinAvailable === undefined || MaxUnavailable === undefined) return found
    const Selector = section(object, 'spec')['selector'] ?? null
    const shown = { MinAvailable, Selector, MaxUnavailable, UnhealthyPodEvictionPolicy: null }
    return [invalidValue('spec', shown, 'minAvailable and maxUnavailable cannot be both set'), ...found]
  },
}
