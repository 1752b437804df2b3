import { toDelta, toPercent } from '#ui/parts/format/counts.ts'
import { sumAmounts, toMoney } from '#ui/parts/format/money.ts'
import { toDay } from '#ui/parts/format/times.ts'
import { BudgetMeter } from './budget-meter.tsx'
import { amountOf, shareOf } from './cost-days.ts'
import type { CostReport, ForecastView } from './cost-days.ts'
import styles from './cost.module.css'
import { costText as text } from './text.ts'
import type { CostChoice } from './use-cost.ts'

interface CostHeadProps {
  readonly report: CostReport
  readonly forecast: ForecastView | undefined
  readonly currency: string
  readonly choice: CostChoice
}

/** Spent, expected, and the budget. */
export function CostHead({ report, forecast, currency, choice: { period } }: CostHeadProps) {
  const spent = amountOf(report.total, currency)
  const ahead = monthEnd(forecast, currency)
  const expected = period === 'month' ? ahead : nextDays(forecast, currency)
  return (
    <div className={styles['head']}>
      <div>
        <div className="dim">{text.spent[period]}</div>
        <div className={`num ${styles['huge']}`}>{toMoney(spent, currency)}</div>
        <div className="faint num">{text.days(toDay(report.from), toDay(report.to), currency)}</div>
        <Change report={report} currency={currency} />
      </div>
      <div>
        <div className="dim">{period === 'month' ? text.forecast.month : text.forecast.ahead}</div>
        <div className={`num ${styles['huge']}`}>{toMoney(expected?.amount, currency)}</div>
        <div className="faint num">
          {expected === undefined
            ? (forecast?.reason ?? '')
            : text.between(
                toPercent(forecast?.interval),
                toMoney(expected.low, currency),
                toMoney(expected.high, currency),
              )}
        </div>
      </div>
      {period === 'month' ? <BudgetMeter {...{ spent, currency }} end={ahead?.amount} /> : undefined}
    </div>
  )
}

function Change({ report: { total, previous }, currency }: { readonly report: CostReport; readonly currency: string }) {
  const now = amountOf(total, currency)
  const before = previous === undefined ? undefined : amountOf(previous, currency)
  const share = shareOf(now, before)
  if (before === undefined || now === undefined) return undefined
  return (
    <div className="faint num">
      {share === undefined || Number(before) === 0 ? text.before : text.against(toDelta((share - 1) * 100, '%'))}
    </div>
  )
}

/** An expected sum with its interval. */
export interface ExpectedSum {
  readonly amount: string
  readonly low: string
  readonly high: string
}

/** What a month will have cost: what was spent until yesterday, and the rest of it. */
export function monthEnd(forecast: ForecastView | undefined, currency: string): ExpectedSum | undefined {
  const item = forecast?.items.find((one) => one.currency === currency)
  if (item === undefined || item.restOfMonth === null) return undefined
  const { spentThisMonth: spent, restOfMonth: rest } = item
  return {
    amount: sumAmounts([spent, rest.amount]),
    low: sumAmounts([spent, rest.low]),
    high: sumAmounts([spent, rest.high]),
  }
}

function nextDays(forecast: ForecastView | undefined, currency: string): ExpectedSum | undefined {
  return forecast?.items.find((one) => one.currency === currency)?.next30Days ?? undefined
}
