import type { Hold, Holds, Settled, Settlement } from './holds/holds.ts'

/** The hold of one call: settled or released once, whichever comes first. */
export interface Charge {
  readonly hold: Hold | undefined
  settle(settlement: Settlement): Promise<Settled | undefined>
  /** The call was not forwarded. */
  release(): Promise<void>
}

/** Creates the charge of a call; without a hold it costs nothing. */
export function createCharge(holds: Holds | undefined, hold: Hold | undefined): Charge {
  let open = hold
  const take = (): Hold | undefined => {
    const taken = open
    open = undefined
    return taken
  }
  return {
    hold,
    async settle(settlement) {
      const taken = take()
      return taken === undefined ? undefined : holds?.settle(taken, settlement)
    },
    async release() {
      const taken = take()
      if (taken !== undefined) await holds?.release(taken)
    },
  }
}

/** Headers with what a call has cost and what is left; the cost is known when it is settled. */
export function moneyHeaders({ hold }: Charge, settled?: Settled): Record<string, string> {
  const remaining = settled?.remaining ?? hold?.remaining
  const { cost } = settled ?? {}
  return {
    ...(cost === undefined ? {} : { 'x-mesh-cost': `${cost.amount} ${cost.currency}` }),
    ...(remaining === undefined ? {} : { 'x-mesh-budget-remaining': remaining }),
  }
}

/** The same at the end of a stream, as a comment, which parsers ignore: trailers do not reach the callers of most SDKs. */
export function moneyComment(charge: Charge, settled: Settled | undefined): Buffer {
  const entries = settled === undefined ? [] : Object.entries(moneyHeaders(charge, settled))
  return Buffer.from(
    entries.length === 0 ? '' : `${entries.map(([name, value]) => `: ${name}: ${value}\n`).join('')}\n`,
  )
}
