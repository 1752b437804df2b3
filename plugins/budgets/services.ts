import type { CoreWith } from '#core/plugin/core-services.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import type { Tx } from '#core/event-store/store.ts'
import type { RunsSystem } from '#plugins/runs/contract/api.ts'
import { spendLimitExceeded } from './contract/events.ts'
import type { HoldServices } from './holds/holds.ts'
import type { ReserveServices } from './payment/reserve-call.ts'
import { createLedger } from './store/ledger.ts'
import type { Ledger } from './store/ledger.ts'
import type { NewHold, RefusedHold } from './store/reserve.ts'
import { createAgentLimits } from './limits/agent-limits.ts'
import { ownerOf } from './limits/owner.ts'
import { createFindRoute } from './limits/route-prices.ts'
import { budgetMetrics } from './contract/metrics.ts'
import { formatMicros } from '#schemas/values/money.ts'
import { limitSource } from './contract/points.ts'
import type { BudgetsSettings } from './contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface BudgetsServices {
  readonly core: CoreWith<readonly ['store']>
  readonly settings: BudgetsSettings
  readonly ledger: Ledger
}

/** Creates the services, without I/O. */
export function createServices(core: CoreWith<readonly ['store']>, settings: BudgetsSettings): BudgetsServices {
  const { holdLease: leaseSeconds, holdRetentionDays: retentionDays } = settings
  const ledger = createLedger(core.store, { leaseSeconds, retentionDays, onExceeded: appendExceeded })
  return { core, settings, ledger }
}

/** Services of the state role. */
export function holdServices(
  { core, settings, ledger }: BudgetsServices,
  state: Pick<StateContext, 'cluster'>,
  runs: RunsSystem | undefined,
): HoldServices {
  // Registered at start, so that `rate()` includes the first hold.
  core.metrics.counter(budgetMetrics.holds)
  return {
    ...reserveServices({ core, settings, ledger }),
    ledger,
    limits: createAgentLimits({ cluster: state.cluster, sources: () => core.extensions(limitSource), runs }),
    findRoute: createFindRoute(state.cluster, settings, () => core.extensions(limitSource)),
  }
}

/** Services of reservations, in the state role and in the gateway. */
export function reserveServices({ core, settings, ledger }: BudgetsServices): ReserveServices {
  return {
    ledger,
    settings,
    decided: (outcome) => core.metrics.counter(budgetMetrics.holds).inc({ outcome }),
  }
}

async function appendExceeded(tx: Tx, { limit }: RefusedHold, { agentUid, runId }: NewHold): Promise<void> {
  const { subject, spend } = limit
  if (spend === undefined) return
  const { kind, namespace, name, uid } = subject
  const data = { amount: formatMicros(spend.amount), currency: spend.currency, window: spend.window, agentUid, runId }
  await tx.append(`budgets/${ownerOf(subject)}`, 'any', [
    { type: spendLimitExceeded, subject: { namespace, kind, name, uid }, data },
  ])
}
