import { canonicalJson } from '#core/json/canonical-json.ts'
import type { Store } from '#core/event-store/store.ts'
import type { TenantObject } from '#schemas/crds/tenant.ts'
import { tenantQuotaChanged } from '../contract/events.ts'
import type { TenantQuota } from '../contract/events.ts'
import type { TenantQuotas } from './quotas.ts'

/** Creates the recorder of quotas: one event per change of a quota or its namespaces, which the projection applies in its transaction. */
export function createRecordQuota(store: Store, quotas: TenantQuotas) {
  return async (tenant: TenantObject, namespaces: readonly string[]): Promise<void> => {
    const { uid = '', name } = tenant.metadata
    const data = { quota: toQuota(tenant), namespaces }
    const before = await quotas.stored(uid)
    if (before !== undefined && canonicalJson(before) === canonicalJson(data)) return
    const subject = { namespace: undefined, kind: 'Tenant', name, uid }
    await store.transact((tx) =>
      tx.append(`tenants/${uid}`, 'any', [
        { type: tenantQuotaChanged, subject, data: { ...data, namespaces: [...namespaces] } },
      ]),
    )
  }
}

/** The quota of a tenant, with the defaults of its schema. */
export function toQuota({ spec: { quota = {} } }: TenantObject): TenantQuota {
  const { spend, requestsPerMinute, concurrency } = quota
  const { amount, currency = 'USD', window = 'month' } = spend ?? { amount: '' }
  return {
    ...(spend === undefined ? {} : { spend: { amount, currency, window } }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
  }
}

/** Whether a quota limits anything. */
export function isLimiting({ spend, requestsPerMinute, concurrency }: TenantQuota): boolean {
  return spend !== undefined || requestsPerMinute !== undefined || concurrency !== undefined
}
