import { describeError } from '#core/log/describe-error.ts'
import type { Logger } from '#core/log/logger.ts'
import { ModelCallFailed } from '#core/role-models/model-call-error.ts'
import type { SuiteEvaluator } from '#schemas/crds/eval-suite.ts'
import { toStorable } from '#schemas/values/storable-text.ts'
import type { Evaluator, EvaluatorContext, ScoredOutput } from '../contract/points.ts'

/** A score by the name of its evaluator. */
export interface OutputScore {
  readonly evaluator: string
  readonly score: number
  readonly note: string | null
}

/** The scores of an output by each evaluator, or why it has none. */
export type ScoredBy =
  | { readonly scores: readonly OutputScore[] }
  | {
      readonly error: string
      /** The cap of the judge does not cover a further call. */
      readonly isCapped: boolean
    }

/** Evaluators that are used and those that are known. */
export interface UsedEvaluators {
  readonly used: readonly SuiteEvaluator[]
  readonly known: readonly Evaluator[]
}

/** Scores an output by each of the evaluators: one that cannot score it leaves it without scores. Rejects if the work was aborted. */
export async function scoreOutput(
  { used, known }: UsedEvaluators,
  scored: ScoredOutput,
  context: EvaluatorContext,
  log: Pick<Logger, 'warn'>,
): Promise<ScoredBy> {
  const scores: OutputScore[] = []
  for (const { name, type, config = {} } of used) {
    const evaluator = known.find((one) => one.type === type)
    if (evaluator === undefined) return failed(`${name}: no plugin has the evaluator ${type}.`)
    try {
      const { score, note = null } = await evaluator.evaluate(scored, config, context)
      if (!(score >= 0 && score <= 1)) return failed(`${name}: the score is not from 0 to 1.`)
      scores.push({ evaluator: name, score, note: note === null ? null : toStorable(note.slice(0, 1_000)) })
    } catch (error) {
      context.signal.throwIfAborted()
      if (error instanceof ModelCallFailed && error.reason === 'cap_exceeded')
        return { error: `${name}: the cap of the judge does not cover the call.`, isCapped: true }
      log.warn({ evaluator: name, ...describeError(error) }, 'an output has no score')
      return failed(`${name}: ${reasonOf(error)}`)
    }
  }
  return { scores }
}

function failed(error: string): ScoredBy {
  return { error, isCapped: false }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? toStorable(error.message.slice(0, 300)) : 'failed'
}
