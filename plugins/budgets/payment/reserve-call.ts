import { randomUUID } from 'node:crypto'
import { Fail } from '#core/errors/domain-error.ts'
import { budgetErrors } from '../contract/errors.ts'
import { nameOfSubject, spendLimitsOf } from '../limits/owner.ts'
import { formatMicros } from '#schemas/values/money.ts'
import { mostOfRoute } from '../money/price-table.ts'
import type { TargetPrice } from '../money/price.ts'
import { isFromAbove } from '../money/spender.ts'
import type { IsOwn } from '../money/spender.ts'
import type { CallLimit } from '../contract/points.ts'
import type { BudgetsSettings } from '../contract/settings.ts'
import type { Ledger } from '../store/ledger.ts'
import type { MadeHold, NewHold, RefusedHold } from '../store/reserve.ts'

/** Dependencies of a reservation. */
export interface ReserveServices {
  readonly ledger: Pick<Ledger, 'reserve'>
  readonly settings: BudgetsSettings
  /** Counts decisions on holds. */
  readonly decided: (outcome: 'held' | 'unbudgeted' | 'price_unknown' | RefusedHold['kind']) => void
}

/** A call whose money is reserved. */
export interface CallToReserve extends Omit<NewHold, 'id' | 'amount' | 'currency' | 'prices'> {
  readonly prices: readonly TargetPrice[]
  /** Whether a namespace is the spender's own. */
  readonly isOwn: IsOwn
  /** Maximum tokens of the call. */
  readonly bounds: { readonly input: number; readonly output: number }
  /** Whether a run that reaches the limit is paused. */
  readonly pauses: (limit: CallLimit) => boolean
}

/** Reserves the maximum cost of a call within all its limits. Throws the refusal of the first limit that does not cover it, or `price_unknown`. */
export async function reserveCall(
  services: ReserveServices,
  { bounds, pauses, isOwn, ...call }: CallToReserve,
): Promise<MadeHold & { readonly currency: string | null }> {
  const price = priceOf(services, { ...call, isOwn }, bounds)
  const result = await services.ledger.reserve({ ...call, ...price, id: randomUUID() })
  services.decided(result.kind)
  if (result.kind !== 'held') throw refusal(result, pauses(result.limit))
  return { ...result, currency: price.currency }
}

const WHERE =
  'Set one in budgets.prices, or in a ModelProvider or ModelRoute outside the namespace or tenant that pays.'

/** Amount and currency of a hold. Throws `price_unknown` if money is counted and a provider of the route has no price. */
function priceOf(
  { settings, decided }: ReserveServices,
  { prices, limits, isOwn }: Pick<CallToReserve, 'prices' | 'limits' | 'isOwn'>,
  bounds: CallToReserve['bounds'],
): { readonly amount: bigint; readonly currency: string | null } {
  const counted = new Set(spendLimitsOf(limits).map(({ currency }) => currency))
  const [currency = prices.find((price) => price.currency !== undefined)?.currency] = counted
  if (currency === undefined) return { amount: 0n, currency: null }
  const { amount, known } = mostOfRoute(prices, currency, bounds)
  const isBound = limits.some((limit) => limit.spend !== undefined && isFromAbove(limit, isOwn))
  const isVoid = isBound && prices.some(({ ownOnly }) => ownOnly === true)
  const isPriced = known && counted.size <= 1 && !isVoid
  if (!isPriced && counted.size > 0 && settings.unknownPrice === 'refuse') {
    decided('price_unknown')
    throw new Fail(budgetErrors.price_unknown, `model: has no price in ${[...counted].join(' and ')}. ${WHERE}`)
  }
  return { amount, currency }
}

function refusal({ kind, limit, retryAfterSeconds: retryAfter }: RefusedHold, pauses: boolean): Fail {
  const name = nameOfSubject(limit.subject)
  if (kind === 'rate') {
    const text = `The ${name} may make ${limit.requestsPerMinute} model calls per minute.`
    return new Fail(budgetErrors.rate_limited, text, { retryAfter })
  }
  if (kind === 'concurrency') {
    const text = `The ${name} may have ${limit.concurrency} model calls in flight.`
    return new Fail(budgetErrors.concurrency_limited, text, { retryAfter })
  }
  const { amount = 0n, currency = '', window = '' } = limit.spend ?? {}
  const per = window === 'total' ? 'in total' : `per ${window}`
  if (limit.subject.kind === 'Cap') {
    const text = `The cap of ${name}, ${formatMicros(amount)} ${currency} ${per}, does not cover the call.`
    return new Fail(budgetErrors.cap_exceeded, text)
  }
  const text = `The spend limit of ${name}, ${formatMicros(amount)} ${currency} ${per}, does not cover the call.`
  return new Fail(budgetErrors.budget_exceeded, text, { headers: { 'x-mesh-on-exceed': pauses ? 'pause' : 'fail' } })
}
