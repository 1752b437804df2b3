import type { ReactNode } from 'react'
import { toneClass } from '../status/tones.ts'
import styles from './figures.module.css'
import { Sparkline } from './sparkline.tsx'

/** A change against the period before. */
export interface MetricChange {
  /** With its sign: `+8 %`. */
  readonly words: string
  /** Better or worse, not up or down. */
  readonly isBetter: boolean
  /** What it compares with, for screen readers: "than yesterday". */
  readonly than: string
}

interface MetricCardProps {
  readonly label: string
  /** Formatted; a dash if it is not known. */
  readonly value: string
  readonly change?: MetricChange | undefined
  readonly values: readonly (number | null)[]
  /** A sentence with the numbers of the line. */
  readonly lineLabel: string
  readonly colour?: `--${string}`
  readonly foot?: ReactNode
}

/** One number with its change and its line. */
export function MetricCard({ label, value, change, values, lineLabel, colour, foot }: MetricCardProps) {
  return (
    <div className={styles['metric']}>
      <div className="dim">{label}</div>
      <div className={`num ${styles['value']}`}>
        {value}
        {change === undefined ? undefined : (
          <span className={`${styles['delta']} ${toneClass(change.isBetter ? 'ok' : 'bad')}`} data-tip={change.than}>
            {change.words}
            <span className="unseen"> {change.than}</span>
          </span>
        )}
      </div>
      <Sparkline
        values={values}
        label={lineLabel}
        width={220}
        height={34}
        {...(colour === undefined ? {} : { colour })}
      />
      <div className={styles['foot']}>{foot}</div>
    </div>
  )
}

/** Four metrics beside each other; two on a phone. */
export function MetricRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles['metrics']}>{children}</div>
}
