import type { SelectedEvaluation } from '../contract/tables.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { parseMicros } from '#schemas/values/money.ts'

/** Why an evaluation ends before all cases have. */
export interface EvaluationStop {
  readonly reason: 'TimedOut' | 'JudgeCapReached' | 'BudgetReached'
  readonly message: string
}

const DEFAULT_TIMEOUT_MS = 600_000

/** Time by which the runs of the cases must end. */
export function deadlineOf({ suite_spec: { timeout }, started_at, created_at }: SelectedEvaluation): Date {
  const ms = timeout === undefined ? undefined : durationToMs(timeout)
  return new Date((started_at ?? created_at).getTime() + (ms ?? DEFAULT_TIMEOUT_MS))
}

/** The ledger refused a call of the judge, which could have exceeded the cap. */
export const capReached: EvaluationStop = {
  reason: 'JudgeCapReached',
  message: 'A further call of the judge could exceed the cap of its cost (spec.judge.maxCost).',
}

/** Why no further case is started; undefined while the evaluation continues. Pure. */
export function findStop(evaluation: SelectedEvaluation, now: Date): EvaluationStop | undefined {
  const { suite_spec: spec, run_micros: spent } = evaluation
  if (spec.budget !== undefined && spent >= parseMicros(spec.budget.amount))
    return { reason: 'BudgetReached', message: 'The runs reached the budget of the suite (spec.budget).' }
  if (now >= deadlineOf(evaluation))
    return { reason: 'TimedOut', message: 'Not every case ended within the timeout of the suite (spec.timeout).' }
  return undefined
}
