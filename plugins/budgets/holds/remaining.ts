import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { HoldServices } from './holds.ts'
import { ownerOf } from '../limits/owner.ts'
import { formatMicros } from '#schemas/values/money.ts'

/** Money that is left: of the limit that ends first. */
export interface RemainingMoney {
  readonly remaining: string
  readonly currency: string
}

/**
 * What the limits on a run leave, without held money; undefined if none counts money. A run of null is the agent itself. For decisions
 * before work is started: it reserves nothing. Throws `not_found` unless the run is one of the agent.
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
