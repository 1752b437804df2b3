import { toSpendLimit } from '#plugins/budgets/contract/api.ts'
import { formatMicros } from '#schemas/values/money.ts'
import type { LiveUsage } from '#plugins/budgets/contract/api.ts'
import type { TenantUsage } from '#schemas/api/tenants.ts'
import { isLimiting } from '../store/record-quota.ts'
import type { StoredTenant } from '../store/quotas.ts'
import { windowAt } from './window.ts'

/** Current usage of a tenant, next to its quota. Without a quota nothing is counted. Pure. */
export function toTenantUsage({ name, quota }: StoredTenant, usage: LiveUsage | undefined, now: Date): TenantUsage {
  const isCounted = isLimiting(quota)
  return {
    name,
    at: now.toISOString(),
    spend: quota.spend === undefined ? null : toSpend(quota.spend, usage?.accounts ?? [], now),
    rpm: { used: isCounted ? (usage?.requestsLastMinute ?? 0) : null, limit: quota.requestsPerMinute ?? null },
    inflight: { used: isCounted ? (usage?.inFlight ?? 0) : null, limit: quota.concurrency ?? null },
  }
}

function toSpend(
  quota: NonNullable<StoredTenant['quota']['spend']>,
  accounts: LiveUsage['accounts'],
  now: Date,
): NonNullable<TenantUsage['spend']> {
  const { currency, window } = quota
  const account = accounts.find((one) => one.currency === currency && one.window === window)
  const { spent = 0n, held = 0n } = account ?? {}
  const limit = toSpendLimit(quota).amount
  // A window without a charge has no account yet.
  const at = windowAt(window, account?.windowStart ?? now)
  return {
    currency,
    window,
    spent: formatMicros(spent),
    held: formatMicros(held),
    limit: formatMicros(limit),
    // Costs beyond a hold, and a lowered limit, may make the remaining amount negative.
    remaining: formatMicros(limit > spent + held ? limit - spent - held : 0n),
    windowStart: at?.start.toISOString() ?? null,
    resetsAt: at?.end.toISOString() ?? null,
  }
}
