import { shownLabels } from '#ui/parts/figure/axis-ticks.ts'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { lookOf } from '#ui/parts/status/state-looks.ts'
import { toneClass } from '#ui/parts/status/tones.ts'
import { toScoreLine, toScorePoints } from './chart-points.ts'
import type { ScorePoint } from './chart-points.ts'
import styles from './score-chart.module.css'
import { toScore } from './shown-results.ts'
import type { PastEvaluation } from './shown-results.ts'
import { evalsText } from './text.ts'

const text = evalsText.history
const ticks = [0, 0.25, 0.5, 0.75, 1]

interface ScoreChartProps {
  readonly history: readonly PastEvaluation[]
  /** The score that is required. */
  readonly minScore: number | undefined
  /** The evaluation that the page shows. */
  readonly shown?: string | undefined
}

/** Scores of revisions with the score that is required and the revisions that serve. The page has a table of the same. */
export function ScoreChart({ history, minScore, shown }: ScoreChartProps) {
  const points = toScorePoints(history)
  const labels = shownLabels(points.length, useNarrow() ? 5 : 14)
  const [newest] = history
  if (newest === undefined) return <p className="faint">{text.none}</p>
  return (
    <div className={styles['chart']} role="img" aria-label={text.chart(points.length, wordsOf(newest))}>
      <div className={styles['legend']}>
        <span>{text.legend.score}</span>
        <span className={styles['none']}>{text.legend.none}</span>
        <span className={styles['served']}>{text.legend.deployed}</span>
      </div>
      <div className={styles['plot']}>
        {ticks.map((tick) => (
          <div key={tick} className={styles['tick']} style={{ bottom: `${tick * 100}%` }}>
            <span className="num">{tick}</span>
          </div>
        ))}
        {points.map(({ id, x, past }) =>
          past.deployed ? <span key={id} className={styles['deploy']} style={{ left: `${x}%` }} /> : undefined,
        )}
        <svg className={styles['line']} viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
          <path d={toScoreLine(points)} vectorEffect="non-scaling-stroke" />
        </svg>
        {minScore === undefined ? undefined : (
          <div className={`${styles['tick']} ${styles['limit']}`} style={{ bottom: `${minScore * 100}%` }}>
            <b>{text.threshold(toScore(minScore))}</b>
          </div>
        )}
        {points.map((point, index) => (
          <PointMark key={point.id} point={point} isShown={point.id === shown} isLabelled={labels.has(index)} />
        ))}
      </div>
    </div>
  )
}

interface PointMarkProps {
  readonly point: ScorePoint
  readonly isShown: boolean
  readonly isLabelled: boolean
}

function PointMark({ point: { x, y, past }, isShown, isLabelled }: PointMarkProps) {
  const names = ['point', y === undefined ? 'empty' : '', isShown ? 'shown' : '']
  return (
    <>
      <span
        className={`${names.map((name) => styles[name] ?? '').join(' ')} ${toneClass(lookOf(past.phase).tone)}`}
        style={{ left: `${x}%`, bottom: `${y ?? 0}%` }}
        data-tip={wordsOf(past)}
      />
      {isLabelled ? (
        <span className={`num ${styles['label']}`} style={{ left: `${x}%` }}>
          {evalsText.revision(past.revision)}
        </span>
      ) : undefined}
    </>
  )
}

function wordsOf({ revision, score, phase, deployed, overridden }: PastEvaluation): string {
  const said = text.point(evalsText.revision(revision), toScore(score), lookOf(phase).label)
  return [said, ...(deployed ? [text.deployed] : []), ...(overridden ? [text.overridden] : [])].join(', ')
}
