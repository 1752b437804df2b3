import { createTtlCache } from '#core/async/ttl-cache.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { toSpendLimit } from '#plugins/budgets/contract/api.ts'
import type { CallLimit, LimitSource } from '#plugins/budgets/contract/points.ts'
import { isLimiting } from './store/record-quota.ts'
import type { StoredTenant, TenantQuotas } from './store/quotas.ts'

// A changed quota applies within this time, like a changed budget.
const QUOTA_TTL_MS = 5_000
/** Namespaces whose last known limits are kept for an outage. */
const MAX_KNOWN = 10_000

/**
 * Limits of the tenant of a namespace. While the store is down, the last known limits apply: they cannot change meanwhile. No hold is created without
 * the store, so no limit is exceeded; without this rule the gateway would also refuse agents without a tenant.
 */
export function createTenantLimits(
  { ofNamespace }: Pick<TenantQuotas, 'ofNamespace'>,
  now: () => number = () => performance.now(),
): LimitSource {
  const recent = createTtlCache<readonly CallLimit[]>(QUOTA_TTL_MS, now)
  const lastKnown = new Map<string, readonly CallLimit[]>()
  const keep = (namespace: string, limits: readonly CallLimit[]): void => {
    lastKnown.delete(namespace)
    lastKnown.set(namespace, limits)
    const [oldest] = lastKnown.keys()
    if (lastKnown.size > MAX_KNOWN && oldest !== undefined) lastKnown.delete(oldest)
  }
  const read = async (namespace: string): Promise<readonly CallLimit[]> => {
    const limits = (await ofNamespace(namespace)).filter(({ quota }) => isLimiting(quota)).map(toCallLimit)
    keep(namespace, limits)
    return limits
  }
  return {
    name: 'tenants',
    limitsOf: (namespace) =>
      recent(namespace, () => read(namespace)).catch((error: unknown) => {
        const known = lastKnown.get(namespace)
        if (known === undefined || !isOutage(error)) throw error
        return known
      }),
  }
}

function toCallLimit({ uid, name, quota: { spend, requestsPerMinute, concurrency } }: StoredTenant): CallLimit {
  return {
    subject: { kind: 'Tenant', name, uid },
    ...(spend === undefined ? {} : { spend: toSpendLimit(spend) }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
    countsCalls: true,
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof Fail && error.code === 'store_unavailable'
}
