import { text } from '../../text/en.ts'
import { toMoneyTicks } from '../format/money.ts'
import { toDay } from '../format/times.ts'
import { useNarrow } from '../page/use-narrow.ts'
import { toneClass } from '../status/tones.ts'
import { axisTicks, shownLabels } from './axis-ticks.ts'
import styles from './cost-chart.module.css'
import own from './cumulative-chart.module.css'
import { toCumulative } from './cumulative-points.ts'
import type { CumulativeDay, SumInterval } from './cumulative-points.ts'
import { toPath } from './line-points.ts'

interface CumulativeChartProps {
  /** Every day of the period, those of the forecast last. */
  readonly days: readonly CumulativeDay[]
  readonly currency: string
  /** A sentence with the numbers. The page has a table of the same. */
  readonly label: string
  /** How the forecast was made. */
  readonly method?: string | undefined
  readonly interval?: SumInterval | undefined
  /** A dashed line with its word. */
  readonly limit?: { readonly amount: string; readonly words: string } | undefined
}

/** The sum of days: spent as a line, the forecast dashed with its cone, the budget as a limit. */
export function CumulativeChart({ days, currency, label, method, interval, limit }: CumulativeChartProps) {
  const { end } = toCumulative(days, 1, undefined)
  const highest = Math.max(Number(limit?.amount ?? 0), Number(interval?.high ?? 0), Number(end))
  const ticks = axisTicks(highest)
  const top = ticks.at(-1) ?? 1
  const amounts = toMoneyTicks(ticks, currency)
  const { spent, forecast, cone } = toCumulative(days, top, interval)
  const labels = shownLabels(days.length, useNarrow() ? 4 : 10)
  const floor = spent.length === 0 ? '' : `${toPath(spent)}L${spent.at(-1)?.x ?? 0} 100L0 100Z`
  return (
    <div className={styles['chart']} role="img" aria-label={label}>
      <div className={styles['plot']}>
        {ticks.map((tick, index) => (
          <div key={tick} className={styles['tick']} style={{ bottom: `${(tick / top) * 100}%` }}>
            <span className="num">{amounts[index]}</span>
          </div>
        ))}
        <svg className={own['lines']} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
          <path className={own['area']} d={floor} />
          {cone.length === 0 ? undefined : <path className={own['cone']} d={`${toPath(cone)}Z`} />}
          <path className={own['spent']} d={toPath(spent)} />
          <path className={own['ahead']} d={toPath(forecast)} />
        </svg>
        {days.map(({ day }, index) => {
          const share = days.length < 2 ? 0 : (index / (days.length - 1)) * 100
          // The last label ends where the plot ends.
          const place = { left: `${share}%`, transform: `translateX(-${share}%)` }
          return labels.has(index) ? (
            <span key={day} className={styles['label']} style={place}>
              {toDay(day)}
            </span>
          ) : undefined
        })}
        {limit === undefined ? undefined : (
          <div
            className={`${styles['tick']} ${styles['limit']} ${toneClass('bad')}`}
            style={{ bottom: `${(Number(limit.amount) / top) * 100}%` }}
          >
            <b>{limit.words}</b>
          </div>
        )}
      </div>
      <p className={styles['foot']}>{method ?? text.cost.noForecast}</p>
    </div>
  )
}
