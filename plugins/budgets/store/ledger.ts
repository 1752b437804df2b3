import { Fail } from '#core/errors/domain-error.ts'
import type { Store, Tx } from '#core/event-store/store.ts'
import { writeEnds, expireHolds, removeEnded, removePastAccounts, extendLeases } from './end.ts'
import type { EndedHold, HoldEnd } from './end.ts'
import { claimHolds } from './claim.ts'
import type { ClaimedHold, HoldClaim } from './claim.ts'
import { createGather } from './gather.ts'
import { readPrices, readOwnerUsage } from './reads.ts'
import { createRecentPrices } from './recent-prices.ts'
import { reserve } from './reserve.ts'
import type { MadeHold, NewHold, RefusedHold } from './reserve.ts'
import type { BudgetsTables } from '../contract/tables.ts'

/** Money of model calls: reserved before a call, settled after it. `spent + held <= limit` at every instant (B1). */
export interface Ledger {
  /** Resolves when the hold is committed. */
  reserve(hold: NewHold): Promise<MadeHold | RefusedHold>
  /** Ends a hold once; a repeat returns the charged amount. Undefined for a hold of another holder. */
  end(end: HoldEnd): Promise<EndedHold | undefined>
  renew(ids: readonly string[], holder: string): ReturnType<typeof extendLeases>
  /** Charges holds whose lease has ended. Returns their number, at most `most`. */
  expire(most: number): Promise<number>
  removeEnded(most: number): Promise<number>
  pricesOf(holder: string, ids: readonly string[]): ReturnType<typeof readPrices>
  /** Takes over a live hold, once. Once this resolves with a hold, no other call can use it. */
  claim(claim: HoldClaim): Promise<ClaimedHold | undefined>
  usageOf(owners: readonly string[]): ReturnType<typeof readOwnerUsage>
}

/** Limits of the ledger. */
export interface LedgerOptions {
  readonly leaseSeconds: number
  readonly retentionDays: number
  /** Called in the transaction of the first refusal by a limit in its window. */
  readonly onExceeded?: (tx: Tx, refused: RefusedHold, hold: NewHold) => Promise<void>
}

// A commit takes about as long; a group that waits longer adds more latency than it saves commits.
const GATHER = { waitMs: 2, size: 200 }

/** Creates the ledger on a store, without I/O. */
export function createLedger(store: Store, options: LedgerOptions): Ledger {
  const reader = store.reader<BudgetsTables>()
  const { leaseSeconds, retentionDays, onExceeded } = options
  const recent = createRecentPrices()
  const reserveGathered = createGather<NewHold, MadeHold | RefusedHold>(
    (holds) =>
      store.transact(async (tx) => {
        const results = await reserve(tx, holds)
        for (const [index, result] of results.entries())
          if (result.kind !== 'held' && result.first) await onExceeded?.(tx, result, holds[index] as NewHold)
        return results
      }),
    GATHER,
    isOutage,
  )
  const endGathered = createGather<HoldEnd, EndedHold | undefined>(
    (ends) => store.transact((tx) => writeEnds(tx, ends)),
    GATHER,
    isOutage,
  )
  const claimGathered = createGather<HoldClaim, ClaimedHold | undefined>(
    (claims) => store.transact((tx) => claimHolds(tx, claims)),
    GATHER,
    isOutage,
  )
  return {
    reserve: async (hold) => {
      const result = await reserveGathered(hold)
      // A repeated request has the prices of its first one.
      if (result.kind === 'held' && result.id === hold.id) recent.add(hold)
      return result
    },
    end: endGathered,
    renew: (ids, holder) => store.transact((tx) => extendLeases(tx, { ids, holder, leaseSeconds })),
    expire: (most) => store.transact((tx) => expireHolds(tx, most)),
    removeEnded: (most) =>
      store.transact(async (tx) =>
        Math.max(await removeEnded(tx, retentionDays, most), await removePastAccounts(tx, retentionDays, most)),
      ),
    pricesOf: async (holder, ids) => {
      const known = recent.of(holder, ids)
      const others = ids.filter((id) => !known.has(id))
      return others.length === 0 ? known : new Map([...known, ...(await readPrices(reader, holder, others))])
    },
    claim: claimGathered,
    usageOf: (owners) => readOwnerUsage(reader, owners),
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof Fail && error.code === 'store_unavailable'
}
