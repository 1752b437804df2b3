import type { TenantUsage } from '#schemas/api/tenants.ts'
import { toPercent } from '#ui/parts/format/counts.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import type { AttentionRow } from './attention.ts'
import { homeText } from './text.ts'

const { attention: text } = homeText

const SOON = 0.8
const MOST = 5

/** Budgets that are nearly or wholly spent, the fullest first. Pure. */
export function budgetRows(usages: readonly TenantUsage[]): readonly AttentionRow[] {
  return usages
    .flatMap(({ name, spend }) => (spend === null ? [] : [{ name, spend, share: shareOf(spend) }]))
    .filter(({ share }) => share >= SOON)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, MOST)
    .map(({ name, spend, share }) => ({
      id: `budget ${name}`,
      icon: 'coin',
      tone: share >= 1 ? 'bad' : 'warn',
      title: share >= 1 ? text.spent(name) : text.nearlySpent(name, toPercent(share)),
      why: text.budgetWhy({
        spent: toMoney(spend.spent, spend.currency),
        limit: toMoney(spend.limit, spend.currency),
        window: spend.window,
        isOver: share >= 1,
      }),
      since: spend.windowStart,
      act: text.seeSpend,
      to: '/cost?group=tenant',
    }))
}

function shareOf({ spent, limit }: NonNullable<TenantUsage['spend']>): number {
  const share = Number(spent) / Number(limit)
  return Number.isFinite(share) ? share : 0
}
