import type { Static } from 'typebox'
import type { CoreWith } from '#core/plugin/core-services.ts'
import type { Store } from '#core/event-store/store.ts'
import type { TenantsApi } from '#plugins/tenants/contract/api.ts'
import type { costSettings } from './contract/settings.ts'

/** Services of the plugin, for its slots. */
export interface CostServices {
  readonly store: Store
  /** Name of the installation. */
  readonly install: string
  readonly observed: CoreWith<readonly ['store']>['observed']
  readonly settings: Static<typeof costSettings>
  readonly now: () => Date
  /** Undefined without the plugin: then no namespace belongs to a tenant. */
  readonly tenants: TenantsApi | undefined
}

/** Creates the services, without I/O. */
export function createServices(
  { store, install, observed, now }: CoreWith<readonly ['store']>,
  settings: Static<typeof costSettings>,
  { tenants }: { readonly tenants: TenantsApi | undefined },
): CostServices {
  return { store, install, observed, settings, now, tenants }
}
