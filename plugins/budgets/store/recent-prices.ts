import type { HoldPrices } from './reads.ts'
import type { NewHold } from './reserve.ts'

/** Prices of holds that this process created. They never change, so a settlement need not read the row. */
export interface RecentPrices {
  add(hold: Pick<NewHold, 'id' | 'holder' | 'currency' | 'prices'>): void
  /** Those of the ids that are known as holds of the holder. */
  of(holder: string, ids: readonly string[]): ReadonlyMap<string, HoldPrices>
}

// More than the holds open at once; holds of a route share its prices.
const MAX_HOLDS = 10_000

/** Creates an empty cache, which evicts the oldest holds. */
export function createRecentPrices(most = MAX_HOLDS): RecentPrices {
  const known = new Map<string, HoldPrices & { readonly holder: string }>()
  return {
    add({ id, holder, currency, prices }) {
      known.set(id, { holder, currency, prices })
      const [oldest] = known.keys()
      if (known.size > most && oldest !== undefined) known.delete(oldest)
    },
    of: (holder, ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = known.get(id)
          return found?.holder === holder ? [[id, found] as const] : []
        }),
      ),
  }
}
