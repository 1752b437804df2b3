import { text } from '../../text/en.ts'
import { toDuration } from '../format/duration.ts'
import styles from './trace.module.css'
import type { TimeZoom } from './zoom-spans.ts'

const quarters = [0, 0.25, 0.5, 0.75]

/** The heading of a waterfall: the time of each quarter of the lane. Each row has its times, too. */
export function TimeRuler({ zoom: { from, to } }: { readonly zoom: TimeZoom }) {
  return (
    <div className={`num ${styles['ruler']}`} aria-hidden>
      <span className={styles['name']}>{text.trace.span}</span>
      <span className={styles['lane']}>
        {quarters.map((part) => (
          <b key={part} style={{ left: `${part * 100}%` }}>
            {from + part === 0 ? '0' : toDuration(from + (to - from) * part)}
          </b>
        ))}
      </span>
      <span className={styles['numbers']}>
        <span>{text.trace.cost}</span>
        <span>{text.trace.duration}</span>
      </span>
    </div>
  )
}
