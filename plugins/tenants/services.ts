import type { Core } from '#core/plugin/core-services.ts'
import type { BudgetsApi } from '#plugins/budgets/contract/api.ts'
import { createQuotaPodPart } from './pod-part.ts'
import { createTenantQuotas } from './store/quotas.ts'
import type { TenantQuotas } from './store/quotas.ts'

/** Services of the plugin. */
export interface TenantsServices {
  readonly core: Core
  /** Undefined without a store: tenants are then cluster objects without effect. */
  readonly quotas: TenantQuotas | undefined
  /** Undefined while nothing enforces limits. */
  readonly budgets: BudgetsApi | undefined
  readonly podPart: ReturnType<typeof createQuotaPodPart>
}

/** Creates the services, without I/O. */
export function createServices(
  core: Core,
  _settings: unknown,
  { budgets }: { readonly budgets: BudgetsApi | undefined },
): TenantsServices {
  const quotas = core.store && createTenantQuotas(core.store)
  return { core, quotas, budgets, podPart: createQuotaPodPart() }
}
