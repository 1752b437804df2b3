import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import { isAtLeast } from '../contract/format/is-at-least.ts'

/** A score by the name of its evaluator. */
export interface NamedScore {
  readonly evaluator: string
  readonly score: number
}

/**
 * Combines the scores of the evaluators of a case. It passes if each evaluator with a threshold reached it, and the combined score is at least
 * the required one. Pure.
 */
export function combineScores(
  { evaluators, aggregate = 'weightedMean' }: Pick<EvalSuiteSpec, 'evaluators' | 'aggregate'>,
  scores: readonly NamedScore[],
  minScore: number,
): { readonly score: number; readonly passed: boolean } {
  const byName = new Map(scores.map(({ evaluator, score }) => [evaluator, score]))
  const used = evaluators.map(({ name, weight = 1, threshold = 0 }) => ({
    score: byName.get(name) ?? 0,
    weight,
    threshold,
  }))
  const weighted = used.filter(({ weight }) => weight > 0)
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  const mean = total === 0 ? 0 : weighted.reduce((sum, { score, weight }) => sum + score * weight, 0) / total
  const least = weighted.reduce((lowest, { score }) => Math.min(lowest, score), 1)
  const score = Math.min(Math.max(aggregate === 'min' ? least : mean, 0), 1)
  return { score, passed: used.every((one) => one.score >= one.threshold) && isAtLeast(score, minScore) }
}
