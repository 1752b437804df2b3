import styles from './figures.module.css'
import { toLines, toPath } from './line-points.ts'

interface SparklineProps {
  /** Values at equal distances; null is unknown. */
  readonly values: readonly (number | null)[]
  /** A sentence with the numbers. */
  readonly label: string
  /** A token, such as `--series-2`. */
  readonly colour?: `--${string}`
  readonly width?: number
  readonly height?: number
}

/** A line without axes. */
export function Sparkline({ values, label, colour = '--accent', width = 96, height = 28 }: SparklineProps) {
  const lines = toLines(values, { width, height })
  return (
    <svg
      className={styles['spark']}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {lines.map((line) => {
        const path = toPath(line)
        const [start, end] = [line[0]?.x ?? 0, line.at(-1)?.x ?? 0]
        return (
          <g key={start}>
            <path
              className={styles['fill']}
              d={`${path}L${end} ${height}L${start} ${height}Z`}
              fill={`var(${colour})`}
            />
            <path
              d={line.length === 1 ? `${path}h2` : path}
              fill="none"
              stroke={`var(${colour})`}
              strokeWidth="1.5"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
            />
          </g>
        )
      })}
    </svg>
  )
}
