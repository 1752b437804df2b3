import styles from './figures.module.css'

/** Runs of one bin. */
export interface OutcomeBin {
  readonly ok: number
  readonly failed: number
}

interface OutcomeBarsProps {
  readonly bins: readonly OutcomeBin[]
  /** A sentence with the numbers. */
  readonly label: string
  readonly width?: number
  readonly height?: number
}

/** Runs over time. Failures stand on top of the others, so that they differ by place, too. */
export function OutcomeBars({ bins, label, width = 112, height = 22 }: OutcomeBarsProps) {
  const most = Math.max(1, ...bins.map(({ ok, failed }) => ok + failed))
  const step = width / Math.max(1, bins.length)
  return (
    <svg className={styles['bars']} width={width} height={height} role="img" aria-label={label}>
      {bins.map(({ ok, failed }, index) => {
        const good = (ok / most) * (height - 1)
        // One failure of many is seen: it is a pixel and a half at least.
        const bad = failed === 0 ? 0 : Math.max(1.5, (failed / most) * (height - 1))
        const x = index * step
        return (
          <g key={x}>
            <rect
              x={x}
              width={step - 1}
              y={height - 1 - good}
              height={good + 1}
              fill={`var(${ok > 0 ? '--bar-ok' : '--track'})`}
            />
            {bad === 0 ? undefined : (
              <rect
                x={x}
                width={step - 1}
                y={Math.max(0, height - 1 - good - bad)}
                height={bad}
                fill="var(--bad-fill)"
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}
