import type { RunStats } from '#schemas/api/run-stats.ts'
import { toClock, toDay, toExact } from '#ui/parts/format/times.ts'
import { runsText as text } from './text.ts'
import styles from './run-histogram.module.css'

interface RunHistogramProps {
  readonly stats: RunStats | undefined
  /** The range ends now. */
  readonly isOpen: boolean
}

const DAY_MS = 86_400_000

/** Runs by the time of their creation. Failures stand on top, so that they differ by place, too. */
export function RunHistogram({ stats, isOpen }: RunHistogramProps) {
  const bins = stats?.bins ?? []
  const most = Math.max(1, ...bins.map(({ count }) => count))
  const part = (count: number) => ({ height: `${(count / most) * 100}%` })
  return (
    <figure className={styles['figure']} aria-label={stats === undefined ? text.histogram.waiting : sentenceOf(stats)}>
      <div className={styles['bins']} aria-hidden>
        {bins.map(({ from, count, succeeded, failed }) => (
          <span key={from} data-tip={text.histogram.bin(toExact(from).slice(0, 16), count, failed)}>
            <i className={styles['other']} style={part(count - succeeded - failed)} />
            <i className={styles['failed']} style={part(failed)} />
            <i className={styles['succeeded']} style={part(succeeded)} />
          </span>
        ))}
      </div>
      <figcaption className={styles['legend']}>
        <span className="num">{stats === undefined ? '' : edgeOf(stats, stats.from)}</span>
        <span className="grow" />
        {(['succeeded', 'failed', 'other'] as const).map((name) => (
          <span key={name} className={styles['entry']}>
            <i className={styles[name]} />
            {text.histogram[name]}
          </span>
        ))}
        <span className="grow" />
        <span className="num">{stats === undefined ? '' : isOpen ? text.histogram.now : edgeOf(stats, stats.to)}</span>
      </figcaption>
    </figure>
  )
}

function sentenceOf({ count, succeeded, failed, from, to }: RunStats): string {
  return text.histogram.sentence({ count, succeeded, failed, from: toExact(from), to: toExact(to) })
}

// A day and some minutes, which the window is rounded by, has no need of its date.
function edgeOf({ from, to }: RunStats, at: string): string {
  const isDay = Date.parse(to) - Date.parse(from) < 1.1 * DAY_MS
  const clock = toClock(at).slice(0, 5)
  return isDay ? clock : `${toDay(at)}, ${clock}`
}
