import type { StoreListCall } from '#core/http/store/store-list.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { Period } from './store/period.ts'
import { toTenants } from './query/by-tenant.ts'
import { parseGroupBy } from './query/group-by.ts'
import { toTotals } from './query/totals.ts'
import type { CostServices } from './services.ts'
import { readGroups } from './store/read-cost.ts'
import type { CostAccess } from './store/read-cost.ts'
import type { CostTables } from './contract/tables.ts'

/** Options of a breakdown. */
export interface BreakdownOptions {
  readonly access: CostAccess
  readonly period: Period
  readonly groupBy: string
}

/** A namespace has at most one row here, and an installation has some thousands of namespaces. */
const MAX_NAMESPACES = 100_000

/** One page of groups, in the order of their keys. Throws `invalid_query` for an unknown grouping. */
export async function readBreakdown(services: CostServices, call: StoreListCall, options: BreakdownOptions) {
  const { access, period, groupBy } = options
  if (groupBy === 'tenant') return pageOfTenants(services, call, options)
  const { by, show } = parseGroupBy(groupBy)
  const db = services.store.reader<CostTables>()
  const { items, ...page } = await keyedPage(call, {
    bound: period,
    read: ({ limit, after }) => readGroups(db, access, { period, by, limit, after: after?.map(String) }),
    keyOf: ({ keys }) => keys,
  })
  return { ...page, items: items.map(({ keys, ...sums }) => ({ ...show(keys), ...toTotals(sums) })) }
}

async function pageOfTenants(
  { store, tenants }: CostServices,
  call: StoreListCall,
  { access, period }: BreakdownOptions,
) {
  const { items, ...page } = await keyedPage(call, {
    bound: period,
    read: async ({ limit, after }) => {
      const query = { period, by: ['namespace'], limit: MAX_NAMESPACES } as const
      const groups = await readGroups(store.reader<CostTables>(), access, query)
      const names = await tenants?.tenantsOf(
        access,
        groups.map(({ keys: [namespace = ''] }) => namespace),
      )
      const found = toTenants(groups, names ?? new Map())
      return found.filter(({ tenant }) => after === undefined || tenant > String(after[0])).slice(0, limit)
    },
    keyOf: ({ tenant }) => [tenant],
  })
  return { ...page, items: items.map(({ tenant, ...sums }) => ({ tenant: tenant || null, ...toTotals(sums) })) }
}
