import type { Access } from '#core/cluster/caller.ts'
import type { LimitSubject } from './points.ts'
import type { SpendAccount } from './spending.ts'

/** Current usage of an owner: money of its current windows, calls in flight, and calls of the last minute. */
export interface LiveUsage {
  readonly accounts: readonly SpendAccount[]
  readonly inFlight: number
  readonly requestsLastMinute: number
}

/** Counters of owners of limits, for plugins that display it. */
export interface BudgetsApi {
  /** Current usage of each subject, in their order. `access` proves a review of a resource of the calling plugin, in the scope of the subjects. */
  usageOf(access: Access, subjects: readonly Pick<LimitSubject, 'kind' | 'uid'>[]): Promise<readonly LiveUsage[]>
}

export { toSpendLimit } from './spend-limit.ts'
export { toSpending } from './spending.ts'
export type { WrittenAmount } from './spend-limit.ts'
