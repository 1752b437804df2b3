import type { GroupSums } from '../store/read-cost.ts'
import { addSums } from './totals.ts'

/** Merges groups of namespaces (their first key) into groups of tenants, by name; '' is not a tenant. Pure. */
export function toTenants(
  groups: readonly GroupSums[],
  tenants: ReadonlyMap<string, string>,
): readonly (Omit<GroupSums, 'keys'> & { readonly tenant: string })[] {
  const byTenant = Map.groupBy(groups, ({ keys: [namespace = ''] }) => tenants.get(namespace) ?? '')
  return [...byTenant]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([tenant, members]) => ({ tenant, ...addSums(members) }))
}
