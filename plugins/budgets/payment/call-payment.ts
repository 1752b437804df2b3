import { randomUUID } from 'node:crypto'
import type {
  CallHold,
  CallPayers,
  CallPayment,
  InheritedCall,
  PayableCall,
  PersonCall,
  RoleCall,
} from '#plugins/providers/contract/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { toLimit } from '../limits/agent-limits.ts'
import { spendLimitsOf, toCapLimit } from '../limits/owner.ts'
import { pricesOfRoute, providersOf } from '../money/price-table.ts'
import { ownNamespaces } from '../money/spender.ts'
import type { CallLimit, LimitSource } from '../contract/points.ts'
import { createCallHold } from './call-hold.ts'
import { createRenewal } from './renewal.ts'
import type { Renewal } from './renewal.ts'
import { reserveCall } from './reserve-call.ts'
import type { ReserveServices } from './reserve-call.ts'
import { takeOverHold } from './take-over.ts'
import type { Ledger } from '../store/ledger.ts'

/** Dependencies of payments. */
export interface PaymentServices extends ReserveServices {
  readonly ledger: Pick<Ledger, 'reserve' | 'end' | 'renew' | 'claim'>
  readonly sources: () => readonly LimitSource[]
}

// No pod has this holder: launchers' holders are uids.
const HOLDER = 'gateway'
// A renewal that fails once is repeated before the lease ends.
const LEAST_LEASE_SECONDS = 60

/**
 * Pays for calls at the gateway by the holds of launchers. If no launcher holds money, the gateway does for calls of roles and users. For agents
 * without own limits, it holds money in the budgets of the agents whose runs they serve.
 */
export function createCallPayment(services: PaymentServices): CallPayment {
  const { ledger, settings } = services
  const leaseSeconds = Math.max(settings.holdLease, LEAST_LEASE_SECONDS)
  const renewal = createRenewal((ids) => ledger.renew(ids, HOLDER), (leaseSeconds * 1_000) / 3)
  const gateway = { ...services, renewal, leaseSeconds }
  return {
    isCounted: (payers) => isCounted(gateway, payers),
    hold: (call) => holdForRole(gateway, call),
    holdForPerson: (call) => holdForPerson(gateway, call),
    takeOver: (call) => takeOverHold(services, call),
    inherit: (call) => holdForAgent(gateway, call),
  }
}

interface GatewayServices extends PaymentServices {
  readonly renewal: Renewal
  readonly leaseSeconds: number
}

async function holdForRole(services: GatewayServices, call: RoleCall): Promise<CallHold | undefined> {
  const { payer, above } = call
  const capped = payer.cap === undefined ? [] : [toCapLimit(payer.cap)]
  const owned = [...budgetOf(payer.agent), ...budgetsOf(above), ...(await limitsOf(services, payer.namespace))]
  const limits = [...capped, ...owned]
  const { inputTokens: input, maxOutputTokens = services.settings.defaultMaxOutputTokens, choices } = call
  if (limits.length === 0) return undefined
  const bounds = { input, output: maxOutputTokens * choices }
  const agentUid = payer.agent?.metadata.uid ?? ''
  // A role has no run to pause.
  const { namespace: spender } = payer
  const reservation = { agentUid, spender, limits, bounds, maxOutputTokens, pauses: () => false }
  const hold = await reserve(services, call, reservation)
  return spendLimitsOf(limits).length > 0 ? hold : { ...hold, maxOutputTokens: undefined }
}

async function isCounted(services: PaymentServices, { namespace, agents }: CallPayers): Promise<boolean> {
  const limits = [...budgetsOf(agents), ...(await limitsOf(services, namespace))]
  return spendLimitsOf(limits).length > 0
}

// A user has no budget: the tenant of the route's namespace counts the call.
async function holdForPerson(services: GatewayServices, call: PersonCall): Promise<CallHold | undefined> {
  const { namespace: spender } = call.route
  const limits = await limitsOf(services, spender)
  if (limits.length === 0) return undefined
  const { inputTokens: input, maxOutputTokens = services.settings.defaultMaxOutputTokens, choices } = call
  const bounds = { input, output: maxOutputTokens * choices }
  const hold = await reserve(services, call, {
    agentUid: '',
    spender,
    limits,
    bounds,
    maxOutputTokens,
    pauses: () => false,
  })
  return spendLimitsOf(limits).length > 0 ? hold : { ...hold, maxOutputTokens: undefined }
}

async function holdForAgent(services: GatewayServices, call: InheritedCall): Promise<CallHold | undefined> {
  const { agent, above } = call
  const limits = budgetsOf(above)
  if (limits.length === 0) return undefined
  const agentUid = agent.metadata.uid ?? ''
  const { inputTokens: input, maxOutputTokens = services.settings.defaultMaxOutputTokens, choices } = call
  return reserve(services, call, {
    agentUid,
    spender: agent.metadata.namespace ?? '',
    limits,
    bounds: { input, output: maxOutputTokens * choices },
    maxOutputTokens,
    pauses: ({ subject }) => above.some((one) => one.metadata.uid === subject.uid && pausesRuns(one)),
  })
}

function pausesRuns({ spec }: AgentDeploymentObject): boolean {
  return spec.budget?.onExceed === 'pause'
}

interface Reservation {
  readonly agentUid: string
  /** Namespace that pays. */
  readonly spender: string
  readonly limits: readonly CallLimit[]
  readonly bounds: { readonly input: number; readonly output: number }
  readonly maxOutputTokens: number
  readonly pauses: (limit: CallLimit) => boolean
}

async function reserve(
  services: GatewayServices,
  call: Omit<PayableCall, 'above'>,
  { maxOutputTokens, spender, ...reservation }: Reservation,
): Promise<CallHold> {
  const { ledger, settings, renewal, leaseSeconds } = services
  const { route } = call
  const { namespace, name } = route
  const namespaces = [namespace, ...providersOf(route).map((provider) => provider.namespace)]
  const isOwn = await ownNamespaces(services.sources(), spender, namespaces)
  const countsMoney = spendLimitsOf(reservation.limits).length > 0
  const providers = countsMoney ? await call.providerPrices() : new Map()
  const prices = pricesOfRoute({ route, providers, isOwn }, settings)
  const { id, currency } = await reserveCall(services, {
    ...reservation,
    isOwn,
    holder: HOLDER,
    requestKey: randomUUID(),
    runId: call.runId ?? null,
    route: `${namespace}/${name}`,
    prices,
    maxOutputTokens,
    leaseSeconds,
  })
  renewal.add(id)
  const hold = { id, holder: HOLDER, currency, prices, maxOutputTokens }
  return createCallHold(ledger, hold, () => renewal.remove(id))
}

async function limitsOf({ sources }: PaymentServices, namespace: string): Promise<readonly CallLimit[]> {
  return (await Promise.all(sources().map((source) => source.limitsOf(namespace)))).flat()
}

function budgetsOf(agents: readonly AgentDeploymentObject[]): readonly CallLimit[] {
  return agents.flatMap(budgetOf)
}

function budgetOf(agent: AgentDeploymentObject | undefined): readonly CallLimit[] {
  if (agent?.spec.budget === undefined) return []
  const { namespace = '', name, uid = '' } = agent.metadata
  return [toLimit({ namespace, name, uid }, agent.spec.budget)]
}
