import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { agentBudget, agentEffective, agentPodPart } from '#plugins/agents/contract/points.ts'
import { callPayment, callPricing } from '#plugins/providers/contract/points.ts'
import { pruner } from '#plugins/pruning/contract/points.ts'
import { runs } from '#plugins/runs/index.ts'
import { createBudgetsApi } from './create-api.ts'
import { createCallPayment } from './payment/call-payment.ts'
import { budgetErrors } from './contract/errors.ts'
import { spendLimitExceeded } from './contract/events.ts'
import { budgetsJobs } from './jobs.ts'
import { createCallPricing } from './money/call-pricing.ts'
import { budgetPodPart } from './pod-part.ts'
import { limitSource } from './contract/points.ts'
import { createBudgetReader, createEffectiveQuotas } from './limits/effective-quotas.ts'
import { accountPruner } from './store/prune-accounts.ts'
import { createServices, holdServices, reserveServices } from './services.ts'
import { budgetsSettings } from './contract/settings.ts'
import { holdEndpoints } from './state-routes.ts'

const runsOrNone = optional(runs)

/** Money of model calls: budgets, prices, and holds that are reserved before a call and settled after it. */
export const budgets = definePlugin({
  contract: 1,
  name: 'budgets',
  summary: 'Spend limits of model calls, and the prices that they are counted with.',
  needs: { runs: runsOrNone },
  settings: budgetsSettings,
  requiredBy: ['hardened'],
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [spendLimitExceeded],
  access: [
    { resource: 'agentdeployments', state: ['get'] },
    { resource: 'modelroutes', state: ['get'] },
    { resource: 'modelproviders', state: ['get'] },
  ],
  errors: budgetErrors,
  points: [limitSource],
  enforces: [{ kind: 'AgentDeployment', field: 'budget' }],
  create: createServices,
  api: createBudgetsApi,
  contributions: ({ core, settings, ledger }) => [
    contribute(
      callPayment,
      createCallPayment({
        ...reserveServices({ core, settings, ledger }),
        ledger,
        sources: () => core.extensions(limitSource),
      }),
    ),
    contribute(pruner, accountPruner),
    contribute(agentPodPart, budgetPodPart),
    contribute(agentBudget, createBudgetReader(ledger, core.now)),
    contribute(
      agentEffective,
      createEffectiveQuotas(() => core.extensions(limitSource)),
    ),
    contribute(
      callPricing,
      createCallPricing(settings, () => core.extensions(limitSource)),
    ),
  ],
  stateRoutes: (services, state) => holdEndpoints(holdServices(services, state, state.system(runsOrNone))),
  jobs: budgetsJobs,
})
