/** A counter with a total limit and a limit per owner (a user, an address). */
export interface Shares {
  /** Takes an amount. If that exceeds a limit, takes nothing and returns which one. */
  take(owner: string, amount: number): 'total' | 'owner' | undefined
  /** Returns an amount taken before. */
  give(owner: string, amount: number): void
}

/** Creates a counter; owners with nothing taken use no memory. */
export function createShares(bounds: { readonly total: number; readonly perOwner: number }): Shares {
  const taken = new Map<string, number>()
  let sum = 0
  return {
    take: (owner, amount) => {
      const mine = (taken.get(owner) ?? 0) + amount
      // The owner's limit first: its excess is a 429 even if the replica is full.
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
