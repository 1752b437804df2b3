import type { FilterDecision } from '../../contract/model-filter.ts'

/** Decisions of the filters of one call. */
export interface CallDecisions {
  add(decisions: readonly FilterDecision[]): void
  /** One entry for each rule, stage and action. */
  list(): readonly FilterDecision[]
}

/** More than the rules of a call's policies; further decisions are counted in the metrics only. */
const most = 200

/** Creates an empty record. */
export function createCallDecisions(): CallDecisions {
  const entries = new Map<string, FilterDecision>()
  return {
    add(decisions) {
      for (const { policy, rule, check, stage, action, count } of decisions) {
        const key = JSON.stringify([policy, rule, check, stage, action])
        const known = entries.get(key)
        if (known === undefined && entries.size >= most) continue
        entries.set(key, { policy, rule, check, stage, action, count: count + (known?.count ?? 0) })
      }
    },
    list: () => [...entries.values()],
  }
}
