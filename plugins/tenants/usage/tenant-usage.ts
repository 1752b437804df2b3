import { toSpending, toSpendLimit } from '#plugins/budgets/contract/api.ts'
import type { LiveUsage } from '#plugins/budgets/contract/api.ts'
import type { TenantUsage } from '#schemas/api/tenants.ts'
import { isLimiting } from '../store/record-quota.ts'
import type { StoredTenant } from '../store/quotas.ts'

/** Current usage of a tenant, next to its quota. Without a quota nothing is counted. Pure. */
export function toTenantUsage({ name, quota }: StoredTenant, usage: LiveUsage | undefined, now: Date): TenantUsage {
  const isCounted = isLimiting(quota)
  return {
    name,
    at: now.toISOString(),
    spend: quota.spend === undefined ? null : toSpending(toSpendLimit(quota.spend), usage, now),
    rpm: { used: isCounted ? (usage?.requestsLastMinute ?? 0) : null, limit: quota.requestsPerMinute ?? null },
    inflight: { used: isCounted ? (usage?.inFlight ?? 0) : null, limit: quota.concurrency ?? null },
  }
}
