import type { TenantsApi } from './contract/api.ts'
import type { TenantsServices } from './services.ts'

/** Creates the API. Without a store no namespace belongs to a tenant. */
export function createTenantsApi({ quotas }: TenantsServices): TenantsApi {
  return { tenantsOf: async (_access, namespaces) => (await quotas?.namesOf(namespaces)) ?? new Map() }
}
