import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { EndedHold, HoldEnd } from '../store/end.ts'
import type { Ledger } from '../store/ledger.ts'
import type { AgentLimits } from '../limits/agent-limits.ts'
import type { FindRoute } from '../limits/route-prices.ts'
import { formatMicros } from '#schemas/values/money.ts'
import { costOfCall, toMoney } from '../money/price-table.ts'
import type { TargetPrice } from '../money/price.ts'
import type { HoldRequest, SettleRequest } from '../contract/wire.ts'
import { reserveCall } from '../payment/reserve-call.ts'
import type { ReserveServices } from '../payment/reserve-call.ts'
import { budgetErrors } from '../contract/errors.ts'

/** Services of holds. */
export interface HoldServices extends ReserveServices {
  readonly ledger: Ledger
  readonly limits: AgentLimits
  readonly findRoute: FindRoute
}

/** Reserves money for a model call of an agent. Throws the refusal of the call. */
export async function createHold(
  services: HoldServices,
  agent: CallingAgent,
  request: HoldRequest,
  requestKey: string,
) {
  const { limits, findRoute, settings, decided } = services
  const applying = await limits.limitsOf(agent, request.runId)
  if (applying.length === 0) {
    decided('unbudgeted')
    throw new Fail(budgetErrors.unbudgeted)
  }
  const { route, prices, isOwn, maxOutputTokens: most } = await findRoute(agent.namespace, request.model)
  // The gateway sends no call of the route with a higher limit.
  const asked = request.maxOutputTokens ?? most ?? settings.defaultMaxOutputTokens
  const maxOutputTokens = Math.min(asked, most ?? asked)
  const output = request.operation === 'embeddings' ? 0 : maxOutputTokens * (request.choices ?? 1)
  const result = await reserveCall(services, {
    holder: holderOf(agent),
    requestKey,
    agentUid: agent.uid,
    runId: request.runId,
    route,
    prices,
    isOwn,
    bounds: { input: request.inputTokens, output },
    maxOutputTokens,
    leaseSeconds: settings.holdLease,
    limits: applying,
    pauses: limits.pauses,
  })
  const { currency } = result
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

/** State and cost of a hold that has ended. */
export interface HoldResult {
  readonly cost: { readonly amount: string; readonly currency: string } | null
  readonly remaining: string | null
  readonly state: string
}

/** The end of a hold by its launcher. */
export type EndRequest = (SettleRequest & { readonly release?: false }) | { readonly release: true }

/** Ends holds of an agent; undefined for a hold of another agent. */
export async function endHolds(
  { ledger }: Pick<HoldServices, 'ledger'>,
  agent: CallingAgent,
  items: readonly (EndRequest & { readonly id: string })[],
): Promise<readonly (HoldResult | undefined)[]> {
  const holder = holderOf(agent)
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

/** Extends the leases of holds of an agent. */
export async function renewHolds(
  { ledger }: Pick<HoldServices, 'ledger'>,
  agent: CallingAgent,
  ids: readonly string[],
) {
  const renewed = await ledger.renew(ids, holderOf(agent))
  const expiresAt = renewed[0]?.expires_at.toISOString() ?? null
  return { expiresAt, renewed: renewed.map(({ id }) => id) }
}

// The uid of the account, so that a re-created agent of the same name does not own the holds of its predecessor.
function holderOf({ account: { uid, username } }: CallingAgent): string {
  return uid === '' ? username : uid
}
