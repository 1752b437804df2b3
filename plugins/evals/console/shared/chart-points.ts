import type { PastEvaluation } from './shown-results.ts'

/** An evaluation in the chart: percents of the plot, from the left and from the bottom. */
export interface ScorePoint {
  readonly id: string
  readonly x: number
  /** Undefined without a score. */
  readonly y: number | undefined
  readonly past: PastEvaluation
}

/** Points of a history: the revisions of one agent by their numbers, those of several by time. Pure. */
export function toScorePoints(history: readonly PastEvaluation[]): readonly ScorePoint[] {
  const oldest = history.toReversed()
  const isOfOne = new Set(history.map(({ agent }) => agent)).size === 1
  // A suite may evaluate the serving revision after its candidate, for a baseline.
  const points = isOfOne ? oldest.toSorted((a, b) => a.revision - b.revision) : oldest
  return points.map((past, index) => ({
    id: past.evaluationId,
    // A point of its own stands in the middle.
    x: ((index + 0.5) / points.length) * 100,
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
