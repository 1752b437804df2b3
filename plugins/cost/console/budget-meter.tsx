import { toPercent } from '#ui/parts/format/counts.ts'
import { sumAmounts, toMoney } from '#ui/parts/format/money.ts'
import { shareOf } from './cost-days.ts'
import styles from './cost.module.css'
import { costText as text } from './text.ts'
import { useBudgets } from './use-cost.ts'

interface BudgetMeterProps {
  /** Spent in the month; undefined if it is not known. */
  readonly spent: string | undefined
  /** Expected at the end of the month; undefined without a forecast. */
  readonly end: string | undefined
  readonly currency: string
}

/** The monthly budgets of the tenants in a currency: their sum, and of how many. Undefined without one. */
export function useBudget(currency: string): { readonly amount: string; readonly tenants: number } | undefined {
  const { data } = useBudgets()
  const limits = (data?.items ?? []).flatMap(({ spend }) =>
    spend?.window === 'month' && spend.currency === currency ? [spend.limit] : [],
  )
  return limits.length === 0 ? undefined : { amount: sumAmounts(limits), tenants: limits.length }
}

/** How much of the budget is spent, and will be. */
export function BudgetMeter({ spent, end, currency }: BudgetMeterProps) {
  const budget = useBudget(currency)
  if (budget === undefined) return undefined
  const now = shareOf(spent, budget.amount)
  const later = shareOf(end, budget.amount)
  const width = (share: number | undefined): string => `${Math.min(1, Math.max(0, share ?? 0)) * 100}%`
  return (
    <div className={styles['budget']}>
      <div className="row">
        <span className="dim grow">{text.budget(budget.tenants)}</span>
        <span className="num">{toMoney(budget.amount, currency)}</span>
      </div>
      <div className={styles['meter']} role="img" aria-label={text.budgetMeter(toPercent(now), toPercent(later))}>
        <i className={styles['ahead']} style={{ width: width(later) }} />
        <i className={styles['now']} style={{ width: width(now) }} />
      </div>
      <div className={`row num ${styles['foot']}`}>
        <span className="grow">{text.budgetSpent(toPercent(now))}</span>
        {later === undefined ? undefined : <span>{text.budgetEnd(toPercent(later))}</span>}
      </div>
    </div>
  )
}
