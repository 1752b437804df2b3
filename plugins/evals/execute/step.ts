import type { ExecutorContext, ExecutorRun } from '#plugins/runs/contract/points.ts'
import type { EvalsServices } from '../contract/services.ts'
import type { SelectedEvaluation } from '../contract/tables.ts'

/** One call of the executor for an evaluation. */
export interface EvaluationStep {
  readonly services: EvalsServices
  readonly run: ExecutorRun
  readonly worker: Pick<ExecutorContext, 'models'>
  readonly evaluation: SelectedEvaluation
}

/** Kind of the runs that execute evaluations. */
export const EVALUATION_KIND = 'evaluation'
