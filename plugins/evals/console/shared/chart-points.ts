import type { PastEvaluation } from './shown-results.ts'

/** An evaluation in the chart: percents of the plot, from the left and from the bottom. */
export interface ScorePoint {
  readonly id: string
  readonly x: number
  /** Undefined without a score. */
  readonly y: number | undefined
  readonly past: PastEvaluation
}

/** Points of a history, oldest at the left. Pure. */
export function toScorePoints(history: readonly PastEvaluation[]): readonly ScorePoint[] {
  const oldest = history.toReversed()
  return oldest.map((past, index) => ({
    id: past.evaluationId,
    // A point of its own stands in the middle.
    x: ((index + 0.5) / oldest.length) * 100,
    y: past.score === null ? undefined : Math.min(1, Math.max(0, past.score)) * 100,
    past,
  }))
}

/** The paths between scores, in a box of 100 by 100; an evaluation without a score is a gap. Pure. */
export function toScoreLine(points: readonly ScorePoint[]): string {
  return points
    .map(({ x, y }, index) => {
      if (y === undefined) return ''
      const isFirst = points[index - 1]?.y === undefined
      return `${isFirst ? 'M' : 'L'}${x.toFixed(2)} ${(100 - y).toFixed(2)}`
    })
    .join('')
}
