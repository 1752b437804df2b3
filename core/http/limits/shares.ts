/** A counter with one bound in total and one per owner (a user, an address). */
export interface Shares {
  /** Takes an amount. Returns the bound that it would exceed, and takes nothing then. */
  take(owner: string, amount: number): 'total' | 'owner' | undefined
  /** Returns an amount taken before. */
  give(owner: string, amount: number): void
}

/** Creates a counter; owners without a share use no memory. */
export function createShares(bounds: { readonly total: number; readonly perOwner: number }): Shares {
  const taken = new Map<string, number>()
  let sum = 0
  return {
    take: (owner, amount) => {
      const mine = (taken.get(owner) ?? 0) + amount
      // The owner's bound first: its excess is a 429 even when the replica is full.
      if (mine > bounds.perOwner) return 'owner'
      if (sum + amount > bounds.total) return 'total'
      taken.set(owner, mine)
      sum += amount
      return undefined
    },
    give: (owner, amount) => {
      const left = (taken.get(owner) ?? 0) - amount
      if (left > 0) taken.set(owner, left)
      else taken.delete(owner)
      sum -= amount
    },
  }
}
