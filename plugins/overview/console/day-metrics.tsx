import { useQuery } from '@tanstack/react-query'
import type { Summary } from '#schemas/api/overview.ts'
import type { RunStats } from '#schemas/api/run-stats.ts'
import { MetricCard, MetricRow } from '#ui/parts/figure/metric-card.tsx'
import { toCount, toPercent } from '#ui/parts/format/counts.ts'
import { toDuration } from '#ui/parts/format/duration.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import type { summaryQuery } from './attention-card.tsx'
import { successShare, spendFoot } from './spend-foot.ts'
import { homeText } from './text.ts'
import type { HomeRange } from './window.ts'

const { metrics: text } = homeText

interface DayMetricsProps {
  readonly stats: RunStats | undefined
  readonly summary: ReturnType<typeof summaryQuery>
  readonly range: HomeRange
}

/** Four numbers of the range. A number that the caller may not list is a dash, with the reason below it. */
export function DayMetrics({ stats, summary, range }: DayMetricsProps) {
  const { data } = useQuery(summary)
  const shown = homeText.ranges[range]
  const bins = stats?.bins ?? []
  const share = successShare(stats)
  const p95 = stats?.durationMs.p95 ?? null
  return (
    <MetricRow>
      <MetricCard
        label={text.runs}
        value={toCount(stats?.count)}
        values={bins.map(({ count }) => count)}
        lineLabel={text.runsLine(shown, toCount(stats?.count))}
        foot={stats === undefined ? undefined : text.running(stats.paused)}
      />
      <MetricCard
        label={text.succeeded}
        value={toPercent(share, 1)}
        values={bins.map(successShare)}
        lineLabel={text.succeededLine(shown, toPercent(share, 1))}
        colour="--ok-fill"
        foot={share === null ? text.noneEnded : text.failed(toCount(stats?.failed))}
      />
      <Spend summary={data} stats={stats} range={shown} />
      <MetricCard
        label={text.duration}
        value={toDuration(p95)}
        values={bins.map(({ durationMs }) => durationMs.p95)}
        lineLabel={text.durationLine(shown, toDuration(p95))}
        colour="--series-2"
        foot={text.median(toDuration(stats?.durationMs.p50))}
      />
    </MetricRow>
  )
}

interface SpendProps {
  readonly summary: Summary | undefined
  readonly stats: RunStats | undefined
  readonly range: string
}

function Spend({ summary, stats, range }: SpendProps) {
  const [first, ...others] = summary?.spend?.cost ?? []
  const value = first === undefined ? UNKNOWN : toMoney(first.amount, first.currency)
  const values = (stats?.bins ?? []).map(({ cost }) => {
    const found = cost.find(({ currency }) => currency === first?.currency)
    return found === undefined ? 0 : Number(found.amount)
  })
  return (
    <MetricCard
      label={text.spend}
      value={value}
      values={values}
      lineLabel={text.spendLine(range)}
      colour="--series-3"
      foot={[
        ...(others.length === 0
          ? []
          : [text.otherCurrencies(others.map(({ amount, currency }) => toMoney(amount, currency)).join(', '))]),
        spendFoot(summary),
      ].join(', ')}
    />
  )
}
