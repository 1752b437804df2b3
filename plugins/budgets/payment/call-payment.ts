import { randomUUID } from 'node:crypto'
import type { CallHold, CallPayment, PayableCall } from '#plugins/providers/points.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { toLimit } from '../limits/agent-limits.ts'
import { costOfCall, pricesOfRoute } from '../money/price-table.ts'
import type { CallLimit, LimitSource } from '../points.ts'
import { reserveCall } from './reserve-call.ts'
import type { ReserveServices } from './reserve-call.ts'
import type { HoldEnd } from '../store/end.ts'
import type { Ledger } from '../store/ledger.ts'

/** What payments need. */
export interface PaymentServices extends ReserveServices {
  readonly ledger: Pick<Ledger, 'reserve' | 'end'>
  readonly sources: () => readonly LimitSource[]
}

// No pod has it: holders of launchers are uids.
const HOLDER = 'gateway'
// A role gives up a call after 30 s, so no lease needs to be renewed.
const LEAST_LEASE_SECONDS = 60

/** Holds money for calls of roles, in the gateway: for an agent by its budget, for every payer by the limits of its namespace. */
export function createCallPayment(services: PaymentServices): CallPayment {
  return { hold: (call) => holdForRole(services, call) }
}

async function holdForRole(services: PaymentServices, call: PayableCall): Promise<CallHold | undefined> {
  const limits = await limitsOf(services, call)
  if (limits.length === 0) return undefined
  const { ledger, settings } = services
  const { namespace, name, generation, spec } = call.route
  const prices = pricesOfRoute({ metadata: { namespace, generation }, spec }, settings)
  const { id, currency } = await reserveCall(services, {
    holder: HOLDER,
    requestKey: randomUUID(),
    agentUid: call.payer.agent?.metadata.uid ?? '',
    runId: call.runId ?? null,
    route: `${namespace}/${name}`,
    prices,
    bounds: { input: call.inputTokens, output: 0 },
    maxOutputTokens: 0,
    leaseSeconds: Math.max(settings.holdLease, LEAST_LEASE_SECONDS),
    limits,
    pauses: () => false,
  })
  const end = async (how: Pick<HoldEnd, 'state' | 'charge' | 'outcome'>): Promise<void> => {
    await ledger.end({ ...how, id, holder: HOLDER })
  }
  return {
    settle: (served) => {
      const charge = served === undefined || currency === null ? undefined : costOfCall(prices, currency, served)
      return end({ state: 'settled', charge, outcome: served === undefined ? 'failed' : 'succeeded' })
    },
    release: () => end({ state: 'released', charge: 0n }),
  }
}

// In the order in which launchers are decided: agent, root agent, then those of other plugins.
async function limitsOf(
  { sources }: PaymentServices,
  { payer: { namespace, agent }, rootAgent }: PayableCall,
): Promise<readonly CallLimit[]> {
  const others = await Promise.all(sources().map((source) => source.limitsOf(namespace)))
  return [...budgetOf(agent), ...budgetOf(rootAgent), ...others.flat()]
}

function budgetOf(agent: AgentDeploymentObject | undefined): readonly CallLimit[] {
  if (agent?.spec.budget === undefined) return []
  const { namespace = '', name, uid = '' } = agent.metadata
  return [toLimit({ namespace, name, uid }, agent.spec.budget)]
}
