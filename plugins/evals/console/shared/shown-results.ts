import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'

/** A result of a case. */
export type ShownResult = EvalResultsView['cases'][number]
/** An evaluation of the history of a suite. */
export type PastEvaluation = EvalResultsView['history'][number]

/** A score with two places, as the messages of the platform have it; unknown is a dash. Pure. */
export function toScore(score: number | null | undefined): string {
  return score === null || score === undefined ? UNKNOWN : score.toFixed(2)
}

/** How a case ended: what regressed is named before whether it passed. Pure. */
export function outcomeOf({ regression, score, passed }: ShownResult): 'regressed' | 'errored' | 'passed' | 'failed' {
  if (score === null) return 'errored'
  if (regression) return 'regressed'
  return passed === true ? 'passed' : 'failed'
}

const order = { regressed: 0, errored: 1, failed: 2, passed: 3 }

/** Results with the regressions first, the deepest fall before the others; then what has no score, then the lowest score. Pure. */
export function worstFirst(results: readonly ShownResult[]): readonly ShownResult[] {
  return results.toSorted((a, b) => {
    const [left, right] = [outcomeOf(a), outcomeOf(b)]
    if (left !== right) return order[left] - order[right]
    const by = left === 'regressed' ? (changeOf(a) ?? 0) - (changeOf(b) ?? 0) : (a.score ?? 0) - (b.score ?? 0)
    return by === 0 ? (a.caseId < b.caseId ? -1 : 1) : by
  })
}

/** The change against the baseline; undefined without both scores. Pure. */
export function changeOf({ score, baselineScore }: ShownResult): number | undefined {
  return score === null || baselineScore === null ? undefined : score - baselineScore
}

/** Why a case has its score: its error, else the note of the evaluator that scored it lowest. Pure. */
export function scoreReasonOf({ error, scores }: ShownResult): string {
  if (error !== null) return error
  const [worst] = scores.toSorted((a, b) => a.score - b.score)
  return worst === undefined ? '' : `${worst.evaluator}: ${worst.note ?? toScore(worst.score)}`
}

/** Whether the evaluation still runs. */
export function isOpenPhase(phase: string | null): boolean {
  return phase === 'Pending' || phase === 'Running'
}

/** Whether a gate holds a revision with this phase. */
export function isHeldPhase(phase: string | null): boolean {
  return phase === 'Failed' || phase === 'Inconclusive' || phase === 'Error' || phase === 'Cancelled'
}
