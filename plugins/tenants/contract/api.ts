import type { AccessScope } from '#core/cluster/caller.ts'

/** Tenants, for plugins that group by them. */
export interface TenantsApi {
  /**
   * Tenant of each namespace in a tenant, by namespace name, as last recorded. `access` proves reviews of a resource of the calling plugin, in the
   * scope of the namespaces.
   */
  tenantsOf(access: AccessScope, namespaces: readonly string[]): Promise<ReadonlyMap<string, string>>
}
