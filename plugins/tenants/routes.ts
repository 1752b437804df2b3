import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { storeList } from '#core/http/store/store-list.ts'
import { TenantUsage, TenantUsageList, TenantUsageListQuery } from '#schemas/api/tenants.ts'
import type { TenantsServices } from './services.ts'
import type { StoredTenant, UsageAccess } from './store/quotas.ts'
import { toTenantUsage } from './usage/tenant-usage.ts'

const unwired = 'Live usage needs the store (setting "databaseUrl") and the plugin budgets.'

/** `GET /api/tenants/usage` and `/api/tenants/{name}/usage`, for callers with the right on tenantusage. */
export function usagePart({ quotas, budgets, core }: TenantsServices): Part {
  const isReady = quotas !== undefined && budgets !== undefined
  const usageOf = async (access: UsageAccess, tenants: readonly StoredTenant[]) => {
    if (budgets === undefined) throw new Fail('not_wired')
    const subjects = tenants.map(({ uid }) => ({ kind: 'Tenant', uid }) as const)
    const usage = await budgets.usageOf(access, subjects)
    return tenants.map((tenant, index) => toTenantUsage(tenant, usage[index], core.now()))
  }
  const list = endpoint({
    method: 'GET',
    url: '/tenants/usage',
    id: 'listTenantUsage',
    summary: 'List the live usage of all tenants.',
    authz: { kind: 'review', verb: 'list', resource: 'tenantusage', namespace: { in: 'cluster' } },
    query: TenantUsageListQuery,
    response: { 200: TenantUsageList },
    handle: async (call) => {
      const { items, ...page } = await storeList<'tenantusage', StoredTenant>(call, {
        resource: 'tenantusage',
        access: call.access,
        read: async (access, { limit, after }) =>
          (await quotas?.list(access, { limit, after: String(after?.[0] ?? '') })) ?? [],
        keyOf: ({ name }) => [name],
      })
      return { items: await usageOf(call.access, items), ...page }
    },
  })
  const get = endpoint({
    method: 'GET',
    url: '/tenants/:name/usage',
    id: 'getTenantUsage',
    summary: 'Get the live usage of a tenant.',
    authz: { kind: 'review', verb: 'get', resource: 'tenantusage', namespace: { in: 'cluster' }, name: 'name' },
    response: { 200: TenantUsage },
    handle: async ({ access, params: { name } }) => {
      const tenant = await quotas?.find(access, name)
      if (tenant === undefined) throw new Fail('not_found')
      const [usage] = await usageOf(access, [tenant])
      return usage
    },
  })
  return {
    capability: 'tenants.usage',
    wiring: isReady ? 'ready' : 'unwired',
    ...(isReady ? {} : { because: unwired, setting: quotas === undefined ? 'DATABASE_URL' : 'disable' }),
    endpoints: [list, get],
  }
}
