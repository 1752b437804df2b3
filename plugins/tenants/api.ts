import type { AccessScope } from '#core/cluster/caller.ts'
import type { TenantsServices } from './services.ts'

/** Tenants, for plugins that group by them. */
export interface TenantsApi {
  /**
   * Tenant of each namespace that belongs to one, by its name, as last recorded. `access` are the reviews of a resource of the
   * caller's plugin, in the scope of the namespaces.
   */
  tenantsOf(access: AccessScope, namespaces: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Creates the API. Without a store no namespace belongs to a tenant. */
export function createTenantsApi({ quotas }: TenantsServices): TenantsApi {
  return { tenantsOf: async (_access, namespaces) => (await quotas?.namesOf(namespaces)) ?? new Map() }
}
