import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { budgets } from '#plugins/budgets/index.ts'
import { eraser } from '#plugins/erasures/contract/points.ts'
import { providers } from '#plugins/providers/index.ts'
import { runs } from '#plugins/runs/index.ts'
import { tenants } from '#plugins/tenants/index.ts'
import { createCostApi } from './create-api.ts'
import { costErrors } from './contract/errors.ts'
import { agentLabelsChanged, personErased } from './contract/events.ts'
import { costJobs } from './jobs.ts'
import { costProjection } from './projections/cost-days.ts'
import { costEraser } from './projections/erase-person.ts'
import { agentLabelsReconciler } from './record-agent.ts'
import { costRoutes } from './routes.ts'
import { createServices } from './services.ts'
import { costSettings } from './contract/settings.ts'

/** Cost of model calls by day, from the events of the gateway and of runs. */
export const cost = definePlugin({
  contract: 1,
  name: 'cost',
  summary: 'Cost of model calls by agent, model, provider, namespace, tenant and label.',
  needs: {
    providers: optional(providers),
    runs: optional(runs),
    budgets: optional(budgets),
    tenants: optional(tenants),
  },
  settings: costSettings,
  requires: ['store'],
  migrations: new URL('./migrations/', import.meta.url),
  events: [agentLabelsChanged, personErased],
  access: [
    {
      resource: 'costs',
      kind: 'Cost',
      reason: 'Virtual resource: exists only in access reviews.',
      viewer: ['list'],
    },
  ],
  errors: costErrors,
  create: createServices,
  api: createCostApi,
  projections: () => [costProjection],
  contributions: () => [contribute(eraser, costEraser)],
  routes: costRoutes,
  jobs: costJobs,
  reconcilers: (services) => [agentLabelsReconciler(services)],
  console: [{ id: 'cost', title: 'Cost', section: 'Observe', path: '/cost', capability: 'cost' }],
})
