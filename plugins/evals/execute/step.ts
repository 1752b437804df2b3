import type { ExecutorContext, ExecutorRun } from '#plugins/runs/contract/points.ts'
import type { ExecutionServices } from '../contract/services.ts'
import type { SelectedEvaluation } from '../contract/tables.ts'

/** What an evaluation uses of the run that executes it. */
export type EvaluationRun = Pick<
  ExecutorRun,
  'id' | 'signal' | 'cancelled' | 'save' | 'prepareChild' | 'queueChild' | 'children' | 'toolsOf'
>

/** One call of the executor for an evaluation. */
export interface EvaluationStep {
  readonly services: ExecutionServices
  readonly run: EvaluationRun
  readonly worker: Pick<ExecutorContext, 'models'>
  readonly evaluation: SelectedEvaluation
}

/** Kind of the runs that execute evaluations. */
export const EVALUATION_KIND = 'evaluation'
