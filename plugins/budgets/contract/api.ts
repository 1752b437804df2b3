import type { Access } from '#core/cluster/caller.ts'
import type { LimitSubject } from './points.ts'

/** What an owner uses now: money of its current windows, calls in flight, and calls of the last minute. */
export interface LiveUsage {
  readonly accounts: readonly {
    readonly currency: string
    readonly window: string
    readonly windowStart: Date
    readonly spent: bigint
    readonly held: bigint
  }[]
  readonly inFlight: number
  readonly requestsLastMinute: number
}

/** What is counted for owners of limits, for plugins that display it. */
export interface BudgetsApi {
  /**
   * What each subject uses now, in their order. `access` is the review of a resource of the caller's plugin, in the scope of the
   * subjects.
   */
  usageOf(access: Access, subjects: readonly Pick<LimitSubject, 'kind' | 'uid'>[]): Promise<readonly LiveUsage[]>
}

export { toSpendLimit } from './spend-limit.ts'
export type { WrittenAmount } from './spend-limit.ts'
