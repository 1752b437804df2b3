import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { CostChart } from '#ui/parts/figure/cost-chart.tsx'
import { CumulativeChart } from '#ui/parts/figure/cumulative-chart.tsx'
import type { DayAmounts } from '#ui/parts/figure/day-stacks.ts'
import { toPercent } from '#ui/parts/format/counts.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { useBudget } from './budget-meter.tsx'
import { amountOf, daysAhead, daysBetween } from './cost-days.ts'
import type { CostReport, ForecastView } from './cost-days.ts'
import { monthEnd } from './cost-head.tsx'
import { toDayAmounts } from './group-sums.ts'
import { costText as text } from './text.ts'
import { useDaysOfGroups } from './use-cost.ts'
import type { CostChoice } from './use-cost.ts'

interface SpendCardProps {
  readonly report: CostReport
  readonly forecast: ForecastView | undefined
  readonly currency: string
  readonly choice: CostChoice
}

const views = (['days', 'cumulative'] as const).map((value) => ({ value, label: text.views[value] }))

/** The spend by day, or added up. */
export function SpendCard(props: SpendCardProps) {
  const { view } = props.choice
  const [, change] = useAddress()
  return (
    <Card
      title={view === 'days' ? text.dayTitle : text.sumTitle}
      action={
        <Segmented
          label={text.view}
          value={view}
          options={views}
          onChange={(next) => change({ view: next === 'days' ? undefined : next })}
        />
      }
    >
      {view === 'days' ? <Days {...props} /> : <Sums {...props} />}
    </Card>
  )
}

function Days({ report, forecast, currency, choice }: SpendCardProps) {
  const groups = useDaysOfGroups(choice)
  const days = daysBetween(report.from, report.to)
  const names = { dimension: choice.group, currency, nameless: text.noName, others: text.others }
  const spent =
    groups.data === undefined ? wholeDays(report, days, currency) : toDayAmounts(days, groups.data.items, names)
  const ahead = aheadOf({ report, forecast, currency, choice })
  const expected = ahead.map((day): DayAmounts => ({ day: day.day, amounts: {}, forecast: day }))
  return (
    <CostChart
      days={[...spent, ...expected]}
      currency={currency}
      label={text.dayLabel(toMoney(amountOf(report.total, currency), currency), days.length)}
      method={methodOf(forecast, currency)}
    />
  )
}

function Sums({ report, forecast, currency, choice }: SpendCardProps) {
  const budget = useBudget(currency)
  const isMonth = choice.period === 'month'
  const end = isMonth ? monthEnd(forecast, currency) : undefined
  const days = daysBetween(report.from, report.to)
  const byDay = new Map(report.days.map((day) => [day.day, amountOf(day, currency) ?? '0']))
  const spent = days.map((day) => ({ day, amount: byDay.get(day) ?? '0' }))
  const ahead = aheadOf({ report, forecast, currency, choice })
  const sum = toMoney(amountOf(report.total, currency), currency)
  return (
    <CumulativeChart
      days={[...spent, ...ahead.map(({ day, amount }) => ({ day, amount, isForecast: true }))]}
      currency={currency}
      label={text.sumLabel(sum, toMoney(end?.amount, currency))}
      method={methodOf(forecast, currency)}
      interval={end}
      limit={isMonth && budget !== undefined ? { amount: budget.amount, words: text.budgetWords } : undefined}
    />
  )
}

function wholeDays(report: CostReport, days: readonly string[], currency: string): readonly DayAmounts[] {
  const byDay = new Map(report.days.map((day) => [day.day, amountOf(day, currency)]))
  return days.map((day) => {
    const amount = byDay.get(day)
    return { day, amounts: amount === undefined ? {} : { [text.all]: amount }, isPartial: day === report.to }
  })
}

// Other periods end today, so that a forecast has no place in them.
function aheadOf({ report, forecast, currency, choice }: SpendCardProps) {
  const item = forecast?.items.find((one) => one.currency === currency)
  return choice.period === 'month' ? daysAhead(item, report.to) : []
}

function methodOf(forecast: ForecastView | undefined, currency: string): string {
  const item = forecast?.items.find((one) => one.currency === currency)
  if (forecast === undefined) return ''
  if (item === undefined || item.method === 'none') return text.noForecast(item?.reason ?? forecast.reason)
  return text.method(text.methods[item.method], toPercent(forecast.interval), item.basis?.days ?? 0)
}
