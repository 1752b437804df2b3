import { ownerOf } from './limits/owner.ts'
import type { BudgetsServices } from './services.ts'
import type { BudgetsApi, LiveUsage } from './contract/api.ts'

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
