import type { AccessScope } from '#core/cluster/caller.ts'

/** Tenants, for plugins that group by them. */
export interface TenantsApi {
  /**
   * Tenant of each namespace that belongs to one, by its name, as last recorded. `access` are the reviews of a resource of the
   * caller's plugin, in the scope of the namespaces.
   */
  tenantsOf(access: AccessScope, namespaces: readonly string[]): Promise<ReadonlyMap<string, string>>
}
