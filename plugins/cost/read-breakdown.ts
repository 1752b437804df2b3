import type { StoreListCall } from '#core/http/store/store-list.ts'
import { keyedPage } from '#core/http/store/store-list.ts'
import type { Period } from './store/period.ts'
import { parseDimensions, toGrouping } from './query/group-by.ts'
import type { TenantNames } from './query/group-by.ts'
import { toTotals } from './query/totals.ts'
import type { CostServices } from './services.ts'
import { readGroups } from './store/read-cost.ts'
import type { CostAccess } from './store/read-cost.ts'
import type { CostTables } from './contract/tables.ts'

/** Options of a breakdown. */
export interface BreakdownOptions {
  readonly access: CostAccess
  readonly period: Period
  /** One dimension or two, with a comma between them. */
  readonly groupBy: string
  /** Number of values of the last dimension; the others are one group. */
  readonly top: number | undefined
}

/** A namespace has at most one row here, and an installation has some thousands of namespaces. */
const MAX_NAMESPACES = 100_000

/** One page of groups, in the order of their keys. Throws `invalid_query` for an unknown grouping. */
export async function readBreakdown(
  services: CostServices,
  call: StoreListCall,
  { access, period, groupBy, top }: BreakdownOptions,
) {
  const dimensions = parseDimensions(groupBy)
  const tenants = dimensions.includes('tenant') ? await readTenants(services, access, period) : new Map()
  const { by, show, top: values } = toGrouping(dimensions, tenants, top)
  const db = services.store.reader<CostTables>()
  const { items, ...page } = await keyedPage(call, {
    bound: period,
    read: ({ limit, after }) => readGroups(db, access, { period, by, limit, after: after?.map(String), top: values }),
    keyOf: ({ keys }) => keys,
  })
  return { ...page, items: items.map(({ keys, ...sums }) => ({ ...show(keys), ...toTotals(sums) })) }
}

async function readTenants({ store, tenants }: CostServices, access: CostAccess, period: Period): Promise<TenantNames> {
  const query = { period, by: ['namespace'], limit: MAX_NAMESPACES } as const
  const groups = await readGroups(store.reader<CostTables>(), access, query)
  const namespaces = groups.map(({ keys: [namespace = ''] }) => namespace)
  return (await tenants?.tenantsOf(access, namespaces)) ?? new Map()
}
