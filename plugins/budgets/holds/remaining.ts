import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { HoldServices } from './holds.ts'
import { ownerOf } from '../limits/owner.ts'
import { formatMicros } from '#schemas/values/money.ts'

/** Remaining money: of the limit with the least left. */
export interface RemainingMoney {
  readonly remaining: string
  readonly currency: string
}

/**
 * Remaining money within the limits on a run, without held money; undefined if no limit counts money. A null run is the agent itself. For decisions
 * before work starts: reserves nothing. Throws `not_found` unless the run belongs to the agent.
 */
export async function readRemaining(
  services: Pick<HoldServices, 'ledger' | 'limits'>,
  agent: CallingAgent,
  runId: string | null,
): Promise<RemainingMoney | undefined> {
  const limits = await services.limits.limitsOf(agent, runId)
  const counted = limits.flatMap(({ subject, spend }) =>
    spend === undefined ? [] : [{ owner: ownerOf(subject), spend }],
  )
  if (counted.length === 0) return undefined
  const usage = await services.ledger.usageOf(counted.map(({ owner }) => owner))
  const left = counted.map(({ owner, spend: { amount, currency, window } }) => {
    const used = usage.get(owner)?.accounts.find((one) => one.currency === currency && one.window === window)
    return { micros: amount - (used === undefined ? 0n : used.spent + used.held), currency }
  })
  const [least] = left.toSorted((a, b) => (a.micros < b.micros ? -1 : 1))
  return least && { remaining: formatMicros(least.micros), currency: least.currency }
}
