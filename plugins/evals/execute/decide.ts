import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'
import type { EvaluationMeans } from '../store/results.ts'
import { isAtLeast } from '../contract/format/is-at-least.ts'
import type { EvaluationStop } from './stop.ts'

/** How an evaluation ends. */
export interface EvaluationVerdict {
  readonly phase: 'Passed' | 'Failed' | 'Inconclusive' | 'Error' | 'Cancelled'
  readonly reason: string
  readonly message: string
}

/** What the verdict depends on. */
export interface EvaluationFindings {
  readonly spec: Pick<EvalSuiteSpec, 'baseline'>
  readonly minScore: number
  readonly means: Pick<EvaluationMeans, 'score' | 'repetitions'>
  /** Cases of the dataset. */
  readonly total: number
  /** Cases with a score in each repetition. */
  readonly scored: number
  readonly stop: EvaluationStop | undefined
  /** Undefined without a baseline; null if the baseline has no score. */
  readonly baseline: number | null | undefined
}

const MIN_SCORED = 0.9

/** Decides how an evaluation ends. What is not certain is Inconclusive, never Passed. Pure. */
export function decideEvaluation(found: EvaluationFindings): EvaluationVerdict {
  const { spec, minScore, means, baseline } = found
  const { score } = means
  const uncertain = doubtOf(found)
  if (uncertain !== undefined) return { phase: 'Inconclusive', ...uncertain }
  if (score === null || !isAtLeast(score, minScore))
    return { phase: 'Failed', reason: 'ScoreTooLow', message: `Score ${two(score)}, required ${two(minScore)}.` }
  const allowed = spec.baseline?.maxRegression ?? 0
  if (typeof baseline === 'number' && !isAtLeast(score, baseline - allowed)) {
    const message = `Score ${two(score)}, baseline ${two(baseline)}; ${two(allowed)} less is allowed.`
    return { phase: 'Failed', reason: 'Regressed', message }
  }
  return { phase: 'Passed', reason: 'ScoreReached', message: `Score ${two(score)}, required ${two(minScore)}.` }
}

function doubtOf(found: EvaluationFindings): { readonly reason: string; readonly message: string } | undefined {
  const { minScore, means, total, scored, stop, baseline } = found
  if (stop !== undefined && (stop.reason !== 'TimedOut' || scored < total)) return stop
  if (total === 0) return { reason: 'NoCases', message: 'The dataset has no cases.' }
  if (scored < total * MIN_SCORED || means.score === null)
    return { reason: 'TooFewScored', message: `${scored} of ${total} cases have a score; 90 % are required.` }
  const [least, most] = [Math.min(...means.repetitions), Math.max(...means.repetitions)]
  if (means.repetitions.length > 1 && !isAtLeast(least, minScore) && isAtLeast(most, minScore)) {
    const message = `Repetitions score from ${two(least)} to ${two(most)}, and ${two(minScore)} is required.`
    return { reason: 'ScoreVaries', message }
  }
  if (baseline === null) return { reason: 'BaselineMissing', message: 'The baseline has no score with these cases.' }
  return undefined
}

function two(score: number | null): string {
  return (score ?? 0).toFixed(2)
}
