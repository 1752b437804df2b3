import { text } from '../../text/en.ts'
import { toMoney, toMoneyTicks } from '../format/money.ts'
import { toDay } from '../format/times.ts'
import { useNarrow } from '../page/use-narrow.ts'
import { toneClass } from '../status/tones.ts'
import { axisTicks, shownLabels } from './axis-ticks.ts'
import styles from './cost-chart.module.css'
import { topSeries, toStacks } from './day-stacks.ts'
import type { DayAmounts, DayStack } from './day-stacks.ts'

interface CostChartProps {
  readonly days: readonly DayAmounts[]
  readonly currency: string
  /** A sentence with the numbers. The page has a table of the same. */
  readonly label: string
  /** How the forecast was made. */
  readonly method?: string
  /** A dashed line with its word. */
  readonly limit?: { readonly amount: string; readonly words: string }
}

/** What each day cost, by series; a forecast is hatched, with its interval. */
export function CostChart({ days, currency, label, method, limit }: CostChartProps) {
  const series = topSeries(days, text.cost.others)
  const stacks = toStacks(days, series)
  const highest = Math.max(0, Number(limit?.amount ?? 0), ...stacks.map(heightOf))
  const ticks = axisTicks(highest)
  const top = ticks.at(-1) ?? 1
  const amounts = toMoneyTicks(ticks, currency)
  const labels = shownLabels(days.length, useNarrow() ? 4 : 10)
  return (
    <div className={styles['chart']} role="img" aria-label={label}>
      <div className={styles['legend']}>
        {series.map((name, index) => (
          <span key={name} className={`${styles['key']} ${styles[`series${index}`]}`}>
            <i />
            <span className="clip" dir="auto">
              {name}
            </span>
          </span>
        ))}
      </div>
      <div className={styles['plot']}>
        {ticks.map((tick, index) => (
          <div key={tick} className={styles['tick']} style={{ bottom: `${(tick / top) * 100}%` }}>
            <span className="num">{amounts[index]}</span>
          </div>
        ))}
        <div className={styles['days']}>
          {stacks.map((stack, index) => (
            <DayBar key={stack.day} stack={stack} top={top} currency={currency} isLabelled={labels.has(index)} />
          ))}
        </div>
        {limit === undefined ? undefined : (
          <div
            className={`${styles['tick']} ${styles['limit']} ${toneClass('bad')}`}
            style={{ bottom: `${(Number(limit.amount) / top) * 100}%` }}
          >
            <b>{limit.words}</b>
          </div>
        )}
      </div>
      <p className={styles['foot']}>{method}</p>
    </div>
  )
}

interface DayBarProps {
  readonly stack: DayStack
  readonly top: number
  readonly currency: string
  readonly isLabelled: boolean
}

function DayBar({ stack: { day, parts, total, isPartial, forecast }, top, currency, isLabelled }: DayBarProps) {
  const percent = (value: number): string => `${(value / top) * 100}%`
  const begins = parts.map((_, index) => parts.slice(0, index).reduce((sum, { value }) => sum + value, 0))
  const shown = toMoney((forecast?.value ?? total).toFixed(6), currency)
  return (
    <div
      className={styles['day']}
      data-tip={`${toDay(day)}: ${forecast === undefined ? shown : text.cost.forecast(shown)}`}
    >
      {parts.map(({ series, value }, index) => (
        <span
          key={series}
          className={`${styles['part']} ${styles[`series${series}`]} ${isPartial ? styles['partial'] : ''}`}
          style={{ bottom: percent(begins[index] ?? 0), height: percent(value) }}
        />
      ))}
      {forecast === undefined ? undefined : (
        <>
          <span
            className={`${styles['part']} ${styles['forecast']}`}
            style={{ bottom: 0, height: percent(forecast.value) }}
          />
          <span
            className={styles['interval']}
            style={{ bottom: percent(forecast.low), height: percent(forecast.high - forecast.low) }}
          />
        </>
      )}
      {isLabelled ? <span className={styles['label']}>{toDay(day)}</span> : undefined}
    </div>
  )
}

function heightOf({ total, forecast }: DayStack): number {
  return Math.max(total, forecast?.high ?? 0)
}
