import type { PartStates } from '../part-states.ts'
import { CostChart } from './cost-chart.tsx'
import { CumulativeChart } from './cumulative-chart.tsx'
import type { CumulativeDay } from './cumulative-points.ts'
import type { DayAmounts } from './day-stacks.ts'
import { MetricCard, MetricRow } from './metric-card.tsx'
import { OutcomeBars } from './outcome-bars.tsx'
import { Sparkline } from './sparkline.tsx'

const wave = Array.from({ length: 24 }, (_, hour) => 20 + Math.round(18 * Math.sin(hour / 4)))
const bins = wave.map((ok, hour) => ({ ok, failed: hour % 5 === 0 ? 4 : 0 }))

const agents = ['triage', 'refund-agent', 'invoice-matcher', 'critic']
const costDays: readonly DayAmounts[] = Array.from({ length: 30 }, (_, index) => {
  const day = `2026-11-${String(index + 1).padStart(2, '0')}T00:00:00Z`
  const base = 180 + Math.round(60 * Math.sin(index / 2))
  if (index > 23)
    return { day, amounts: {}, forecast: { amount: String(base), low: String(base - 50), high: String(base + 70) } }
  const amounts = Object.fromEntries(agents.map((agent, at) => [agent, String(base / (at + 2))]))
  return { day, amounts, isPartial: index === 23 }
})

const sumDays: readonly CumulativeDay[] = costDays.map(({ day }, index) => ({
  day,
  amount: String(180 + Math.round(60 * Math.sin(index / 2))),
  isForecast: index > 23,
}))

/** States of the parts of this folder. */
export const figureStates: readonly PartStates[] = [
  {
    part: 'MetricRow',
    states: [
      {
        name: 'data, partial and none',
        show: () => (
          <MetricRow>
            <MetricCard
              label="Runs"
              value="4,905"
              change={{ words: '+8 %', isBetter: true, than: 'than the day before' }}
              values={wave}
              lineLabel="Runs by hour, 2 to 38"
              foot="14 in progress"
            />
            <MetricCard
              label="Spend"
              value="$4,670.05"
              change={{ words: '+6 %', isBetter: false, than: 'than the month before' }}
              values={wave}
              colour="--series-3"
              lineLabel="Spend by day"
            />
            <MetricCard
              label="Duration, p95"
              value="18.4 s"
              values={wave.map((value, hour) => (hour > 8 && hour < 12 ? null : value))}
              colour="--series-2"
              lineLabel="p95 by hour, three hours unknown"
            />
            <MetricCard label="Score" value="—" values={[]} lineLabel="No scores" />
          </MetricRow>
        ),
      },
    ],
  },
  {
    part: 'MetricCard',
    states: [
      {
        name: 'without a change',
        show: () => <MetricCard label="Runs" value="0" values={[0, 0]} lineLabel="No runs" />,
      },
    ],
  },
  {
    part: 'OutcomeBars',
    states: [
      { name: 'data', show: () => <OutcomeBars bins={bins} label="550 runs in 24 hours, 20 failed" /> },
      {
        name: 'none',
        show: () => <OutcomeBars bins={wave.map(() => ({ ok: 0, failed: 0 }))} label="No runs in 24 hours" />,
      },
      {
        name: 'one failure of many',
        show: () => (
          <OutcomeBars
            bins={[
              { ok: 9000, failed: 1 },
              { ok: 10, failed: 0 },
            ]}
            label="9,011 runs, 1 failed"
          />
        ),
      },
    ],
  },
  {
    part: 'Sparkline',
    states: [
      { name: 'data', show: () => <Sparkline values={wave} label="2 to 38" /> },
      { name: 'partial', show: () => <Sparkline values={[3, null, 4, 5, null]} label="3 to 5, two unknown" /> },
      { name: 'one value', show: () => <Sparkline values={[3]} label="3" /> },
    ],
  },
  {
    part: 'CostChart',
    states: [
      {
        name: 'days with a forecast and a budget',
        show: () => (
          <CostChart
            days={costDays}
            currency="USD"
            label="Cost of November by agent: $4,670 so far, $6,204 forecast"
            method="Forecast by day of the week, with its interval of 80 %."
            limit={{ amount: '320', words: 'Budget of a day' }}
          />
        ),
      },
      { name: 'none', show: () => <CostChart days={[]} currency="EUR" label="No cost" /> },
    ],
  },
  {
    part: 'CumulativeChart',
    states: [
      {
        name: 'a forecast with its cone, and a budget',
        show: () => (
          <CumulativeChart
            days={sumDays}
            currency="USD"
            label="Spent by day, $4,300 of $7,500; the forecast is $5,400"
            method="Weighted least squares with weekdays; 80 % interval"
            interval={{ low: '5000', high: '5900' }}
            limit={{ amount: '7500', words: 'Budget' }}
          />
        ),
      },
      {
        name: 'without a forecast',
        show: () => <CumulativeChart days={sumDays.slice(0, 5)} currency="USD" label="Spent in five days" />,
      },
      { name: 'none', show: () => <CumulativeChart days={[]} currency="USD" label="Nothing was spent" /> },
    ],
  },
]
