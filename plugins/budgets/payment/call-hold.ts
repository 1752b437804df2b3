import type { CallHold, UsedCall } from '#plugins/providers/contract/points.ts'
import { costOfCall } from '../money/price-table.ts'
import type { TargetPrice } from '../money/price.ts'
import type { HoldEnd } from '../store/end.ts'
import type { Ledger } from '../store/ledger.ts'

/** A hold of the ledger that pays for a call of the gateway. */
export interface LedgerHold {
  readonly id: string
  readonly holder: string
  readonly currency: string | null
  readonly prices: readonly TargetPrice[]
  readonly maxOutputTokens: number
}

/** The payment of a call by a hold. `onEnd` is called before the ledger is updated. */
export function createCallHold(
  ledger: Pick<Ledger, 'end'>,
  { id, holder, currency, prices, maxOutputTokens }: LedgerHold,
  onEnd: () => void = () => undefined,
): CallHold {
  const end = async (how: Pick<HoldEnd, 'state' | 'charge' | 'outcome' | 'estimated'>): Promise<void> => {
    onEnd()
    await ledger.end({ ...how, id, holder })
  }
  return {
    maxOutputTokens,
    settle: (used) => {
      const charge = used === undefined || currency === null ? undefined : costOfCall(prices, currency, used)
      const { estimated = false } = used ?? {}
      return end({ state: 'settled', charge, outcome: outcomeOf(used), estimated })
    },
    release: () => end({ state: 'released', charge: 0n }),
  }
}

function outcomeOf(used: UsedCall | undefined): 'succeeded' | 'failed' | 'aborted' {
  if (used === undefined) return 'failed'
  return used.estimated ? 'aborted' : 'succeeded'
}
