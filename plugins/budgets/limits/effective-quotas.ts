import type { Caller } from '#core/cluster/caller.ts'
import type { BudgetReader, EffectiveSource } from '#plugins/agents/contract/points.ts'
import type { EffectiveQuota } from '#schemas/api/effective-rules.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { formatMicros } from '#schemas/values/money.ts'
import { toSpendLimit } from '../contract/spend-limit.ts'
import { toSpending } from '../contract/spending.ts'
import type { LiveUsage } from '../contract/api.ts'
import type { CallLimit, LimitSource } from '../contract/points.ts'
import { toLimit } from './agent-limits.ts'
import { ownerOf } from './owner.ts'

/** Reads the usage of owners, as the ledger does. */
export interface OwnerUsage {
  usageOf(owners: readonly string[]): Promise<ReadonlyMap<string, LiveUsage>>
}

/** Creates the reader of the money of agents' budgets. */
export function createBudgetReader(ledger: OwnerUsage, now: () => Date): BudgetReader {
  return async (_access, { metadata: { uid = '' }, spec: { budget } }) => {
    if (budget === undefined) return null
    const owner = ownerOf({ kind: 'AgentDeployment', uid })
    const usage = await ledger.usageOf([owner])
    return toSpending(toSpendLimit(budget), usage.get(owner), now())
  }
}

/** Creates the source of limits on the calls of agents: the budget of an agent, and limits of other plugins on its namespace. */
export function createEffectiveQuotas(sources: () => readonly LimitSource[]): EffectiveSource {
  return async (agent, caller) => {
    const { namespace = '' } = agent.metadata
    const others = await Promise.all(sources().map((source) => source.limitsOf(namespace)))
    const quotas = others.flat().map((limit) => toQuota(limit, caller))
    return { quotas: [...ownQuota(agent), ...(await Promise.all(quotas))] }
  }
}

function ownQuota({ metadata, spec: { budget } }: AgentDeploymentObject): EffectiveQuota[] {
  const { namespace = '', name, uid = '' } = metadata
  return budget === undefined ? [] : [describe(toLimit({ namespace, name, uid }, budget), true)]
}

// The caller reads the agent, and not necessarily the object of another limit.
async function toQuota(limit: CallLimit, caller: Caller): Promise<EffectiveQuota> {
  const access = await caller.may('get', 'tenants', { namespace: '', name: limit.subject.name })
  return describe(limit, access !== undefined)
}

function describe({ subject, spend, requestsPerMinute, concurrency }: CallLimit, readable: boolean): EffectiveQuota {
  const { kind, namespace = null, name } = subject
  const field = kind === 'Tenant' ? 'spec.quota' : 'spec.budget'
  const money = spend && { amount: formatMicros(spend.amount), currency: spend.currency, window: spend.window }
  return {
    readable,
    spend: readable ? (money ?? null) : null,
    requestsPerMinute: readable ? (requestsPerMinute ?? null) : null,
    concurrency: readable ? (concurrency ?? null) : null,
    from: { kind, namespace, name, field },
  }
}
