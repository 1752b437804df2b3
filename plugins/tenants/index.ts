import { Type } from 'typebox'
import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { agentPodPart, agentTrigger } from '#plugins/agents/contract/points.ts'
import { budgets } from '#plugins/budgets/index.ts'
import { limitSource } from '#plugins/budgets/contract/points.ts'
import { runTenants } from '#plugins/runs/contract/points.ts'
import { createTenantsApi } from './create-api.ts'
import { tenantQuotaChanged } from './contract/events.ts'
import { tenantKind, tenantsAccess } from './kinds.ts'
import { createTenantLimits } from './limit-source.ts'
import { quotasProjection } from './projections.ts'
import { createRecordQuota } from './store/record-quota.ts'
import { tenantReconciler } from './reconcilers.ts'
import { usagePart } from './routes.ts'
import { createServices } from './services.ts'

/** Tenants: groups of namespaces whose agents share quotas of model calls. */
export const tenants = definePlugin({
  contract: 1,
  name: 'tenants',
  summary: 'Groups of namespaces, their quotas of model calls and their live usage.',
  settings: Type.Object({}, { additionalProperties: false }),
  needs: { budgets: optional(budgets) },
  migrations: new URL('./migrations/', import.meta.url),
  events: [tenantQuotaChanged],
  kinds: [tenantKind],
  access: tenantsAccess,
  create: createServices,
  api: createTenantsApi,
  projections: () => [quotasProjection],
  contributions: (services) => {
    const { quotas, budgets: enforced, podPart } = services
    const named = contribute(runTenants, createTenantsApi(services))
    if (quotas === undefined || enforced === undefined) return [named]
    return [
      named,
      contribute(limitSource, createTenantLimits(quotas)),
      contribute(agentPodPart, podPart.part),
      contribute(agentTrigger, podPart.trigger),
    ]
  },
  routes: (services) => [usagePart(services)],
  reconcilers: ({ core: { store, now }, quotas }, { cluster }) => {
    const record = store && quotas && createRecordQuota(store, quotas)
    return [tenantReconciler({ cluster, now, record })]
  },
  console: [{ id: 'tenants', title: 'Tenants', section: 'Platform', path: '/tenants', capability: 'tenants' }],
})
