import { randomUUID } from 'node:crypto'
import type { UserInfo } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { agentOfServiceAccount } from '#schemas/agent-names.ts'
import type { EndedHold, HoldEnd } from './store/end.ts'
import type { Ledger } from './store/ledger.ts'
import type { RefusedHold } from './store/reserve.ts'
import type { AgentLimits, BudgetedAgent } from './limits/agent-limits.ts'
import { nameOfSubject, spendLimitsOf } from './limits/owner.ts'
import type { FindRoute } from './limits/route-prices.ts'
import { formatMicros } from './money/micro.ts'
import { costOfCall, mostOfRoute, toMoney } from './money/price-table.ts'
import type { TargetPrice } from './money/price-table.ts'
import type { HoldRequest, SettleRequest } from './hold-schemas.ts'
import type { BudgetsSettings } from './settings.ts'
import { budgetErrors } from './errors.ts'

/** Services of holds. */
export interface HoldServices {
  readonly ledger: Ledger
  readonly limits: AgentLimits
  readonly findRoute: FindRoute
  readonly settings: BudgetsSettings
  /** Counts decisions on holds. */
  readonly decided: (outcome: 'held' | 'unbudgeted' | 'price_unknown' | RefusedHold['kind']) => void
}

/** Reserves money for a model call of a pod. Throws why the call may not be made. */
export async function createHold(services: HoldServices, pod: UserInfo, request: HoldRequest, requestKey: string) {
  const { ledger, limits, findRoute, settings, decided } = services
  const agent = await agentOf(services, pod)
  const applying = await limits.limitsOf(agent, request.runId)
  if (applying.length === 0) {
    decided('unbudgeted')
    throw new Fail(budgetErrors.unbudgeted)
  }
  const { route, prices } = await findRoute(agent.namespace, request.model)
  const maxOutputTokens = request.maxOutputTokens ?? settings.defaultMaxOutputTokens
  const output = request.operation === 'embeddings' ? 0 : maxOutputTokens * (request.choices ?? 1)
  const price = priceOf(services, prices, applying, { input: request.inputTokens, output })
  const result = await ledger.reserve({
    id: randomUUID(),
    holder: holderOf(pod),
    requestKey,
    agentUid: agent.uid,
    runId: request.runId,
    route,
    ...price,
    maxOutputTokens,
    prices,
    leaseSeconds: settings.holdLease,
    limits: applying,
  })
  decided(result.kind)
  if (result.kind !== 'held') throw refusal(result, limits)
  const { currency } = price
  return {
    id: result.id,
    amount: currency === null ? null : formatMicros(result.amount),
    currency,
    maxOutputTokens: result.maxOutputTokens,
    expiresAt: result.expiresAt.toISOString(),
    renewEverySeconds: Math.max(1, Math.floor(settings.holdLease / 3)),
    remaining: result.remaining === null ? null : formatMicros(result.remaining),
  }
}

/** Amount and currency of a hold. Throws `price_unknown` where money is counted and a provider of the route has no price. */
function priceOf(
  { settings, decided }: HoldServices,
  prices: readonly TargetPrice[],
  limits: Parameters<typeof spendLimitsOf>[0],
  bounds: { readonly input: number; readonly output: number },
): { readonly amount: bigint; readonly currency: string | null } {
  const counted = new Set(spendLimitsOf(limits).map(({ currency }) => currency))
  const [currency = prices.find((price) => price.currency !== undefined)?.currency] = counted
  if (currency === undefined) return { amount: 0n, currency: null }
  const { amount, known } = mostOfRoute(prices, currency, bounds)
  const isPriced = known && counted.size <= 1
  if (!isPriced && counted.size > 0 && settings.unknownPrice === 'refuse') {
    decided('price_unknown')
    throw new Fail(budgetErrors.price_unknown, `A provider of the model has no price in ${[...counted].join(' and ')}.`)
  }
  return { amount, currency }
}

function refusal(refused: RefusedHold, limits: AgentLimits): Fail {
  const { kind, limit, retryAfterSeconds: retryAfter } = refused
  const name = nameOfSubject(limit.subject)
  if (kind === 'rate')
    return new Fail(
      budgetErrors.rate_limited,
      `The ${name} may make ${limit.requestsPerMinute} model calls a minute.`,
      {
        retryAfter,
      },
    )
  if (kind === 'concurrency')
    return new Fail(
      budgetErrors.concurrency_limited,
      `The ${name} may have ${limit.concurrency} model calls in flight.`,
      {
        retryAfter,
      },
    )
  const { amount = 0n, currency = '', window = '' } = limit.spend ?? {}
  const per = window === 'total' ? 'in total' : `per ${window}`
  const text = `The spend limit of ${name}, ${formatMicros(amount)} ${currency} ${per}, does not cover the call.`
  return new Fail(budgetErrors.budget_exceeded, text, {
    headers: { 'x-mesh-on-exceed': limits.pauses(limit) ? 'pause' : 'fail' },
  })
}

/** State and cost of a hold that has ended. */
export interface HoldResult {
  readonly cost: { readonly amount: string; readonly currency: string } | null
  readonly remaining: string | null
  readonly state: string
}

/** The end of a hold by its launcher. */
export type EndRequest = (SettleRequest & { readonly release?: false }) | { readonly release: true }

/** Ends holds of a pod; undefined for a hold that is not its own. */
export async function endHolds(
  { ledger }: Pick<HoldServices, 'ledger'>,
  pod: UserInfo,
  items: readonly (EndRequest & { readonly id: string })[],
): Promise<readonly (HoldResult | undefined)[]> {
  const holder = holderOf(pod)
  const priced = await ledger.pricesOf(
    holder,
    items.map(({ id }) => id),
  )
  return Promise.all(
    items.map(async (item) => {
      const hold = priced.get(item.id)
      if (hold === undefined) return undefined
      const { end, isKnown } = toEnd(item, hold)
      const ended = await ledger.end({ ...end, id: item.id, holder })
      return ended === undefined ? undefined : toAnswer(ended, isKnown ? hold.currency : null)
    }),
  )
}

type Ended = Pick<HoldEnd, 'state' | 'charge' | 'outcome' | 'estimated'>

// Without usage, or with an unknown price, the hold is charged (B3).
function toEnd(
  item: EndRequest,
  { currency, prices }: { readonly currency: string | null; readonly prices: unknown },
): { readonly end: Ended; readonly isKnown: boolean } {
  if (item.release === true) return { end: { state: 'released', charge: 0n }, isKnown: currency !== null }
  const { usage, provider, model, outcome, estimated } = item
  const charge =
    usage === null || currency === null
      ? undefined
      : costOfCall(prices as readonly TargetPrice[], currency, { usage, provider, model })
  const isKnown = currency !== null && (usage === null || charge !== undefined)
  return { end: { state: 'settled', charge, outcome, estimated }, isKnown }
}

function toAnswer({ state, charged, remaining }: EndedHold, currency: string | null): HoldResult {
  return {
    cost: currency === null ? null : toMoney(charged, currency),
    remaining: remaining === null ? null : formatMicros(remaining),
    state,
  }
}

/** Extends the leases of holds of a pod. */
export async function renewHolds({ ledger }: Pick<HoldServices, 'ledger'>, pod: UserInfo, ids: readonly string[]) {
  const renewed = await ledger.renew(ids, holderOf(pod))
  const expiresAt = renewed[0]?.expires_at.toISOString() ?? null
  return { expiresAt, renewed: renewed.map(({ id }) => id) }
}

/** The agent whose pod calls. Throws `forbidden` for an account that belongs to no agent. */
export async function agentOf({ limits }: Pick<HoldServices, 'limits'>, pod: UserInfo): Promise<BudgetedAgent> {
  const account = agentOfServiceAccount(pod.username)
  const agent = account === undefined ? undefined : await limits.agent(account.namespace, account.name)
  if (agent === undefined) throw new Fail('forbidden', 'This service account belongs to no agent.')
  return agent
}

// The uid of the account, so that a re-created agent of the same name has no holds of the former one.
function holderOf({ uid, username }: UserInfo): string {
  return uid === '' ? username : uid
}
