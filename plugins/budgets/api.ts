import type { Access } from '#core/cluster/caller.ts'
import { ownerOf } from './limits/owner.ts'
import type { LimitSubject } from './points.ts'
import type { BudgetsServices } from './services.ts'
import type { LiveUsage } from './store/reads.ts'

export { toSpendLimit } from './money/spend-limit.ts'
export type { WrittenAmount } from './money/spend-limit.ts'
export type { LiveUsage } from './store/reads.ts'

/** What is counted for owners of limits, for plugins that display it. */
export interface BudgetsApi {
  /**
   * What each subject uses now, in their order. `access` is the review of a resource of the caller's plugin, in the scope of the
   * subjects.
   */
  usageOf(access: Access, subjects: readonly Pick<LimitSubject, 'kind' | 'uid'>[]): Promise<readonly LiveUsage[]>
}

/** Creates the API. */
export function createBudgetsApi({ ledger }: BudgetsServices): BudgetsApi {
  return {
    usageOf: async (_access, subjects) => {
      const owners = subjects.map(ownerOf)
      const usage = await ledger.usageOf(owners)
      return owners.map((owner) => usage.get(owner) ?? unused)
    },
  }
}

const unused: LiveUsage = { accounts: [], inFlight: 0, requestsLastMinute: 0 }
