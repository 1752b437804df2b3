import type { ExecutorResult, RunExecutor } from '#plugins/runs/contract/points.ts'
import type { EvalTables, SelectedEvaluation } from '../contract/tables.ts'
import type { ExecutionServices } from '../contract/services.ts'
import { readOpenCases } from '../store/cases.ts'
import { changeEvaluation, findEvaluation } from '../store/evaluations.ts'
import type { EvaluationVerdict } from './decide.ts'
import { finishEvaluation } from './finish.ts'
import { readMoreCases } from './read-cases.ts'
import { settleCases } from './settle-cases.ts'
import { startCases } from './start-cases.ts'
import { EVALUATION_KIND } from './step.ts'
import type { EvaluationRun, EvaluationStep } from './step.ts'
import { capReached, findStop } from './stop.ts'

const WAIT_MS = 300
const DEFAULT_CONCURRENCY = 4
const WAITING_CASES = 64
const datasetDeleted: EvaluationVerdict = {
  phase: 'Error',
  reason: 'DatasetNotFound',
  message: 'The dataset was deleted while its cases were read.',
}

/**
 * Executes evaluations. The state of each case is a row, written with the effect that it records, so that another worker continues after a
 * crash. The permission is that of the runs themselves: the route reviews its own besides.
 */
export function createEvaluationExecutor(services: ExecutionServices): RunExecutor {
  return {
    kind: EVALUATION_KIND,
    permission: { verb: 'create', resource: 'agentdeployments/invoke' },
    actsAsAgent: true,
    execute: (run, worker) => executeEvaluation(services, run, worker),
  }
}

/** Executes an evaluation up to its next wait. */
export async function executeEvaluation(
  services: ExecutionServices,
  run: EvaluationRun,
  worker: EvaluationStep['worker'],
): Promise<ExecutorResult> {
  const evaluation = await findEvaluation(services.store.reader<EvalTables>(), run.id)
  if (evaluation === undefined) return { state: 'succeeded', output: null }
  return executeStep({ services, run, worker, evaluation })
}

async function executeStep(step: EvaluationStep): Promise<ExecutorResult> {
  const { run, evaluation, services } = step
  if (run.cancelled.aborted) {
    await finishEvaluation(step, { phase: 'Cancelled', reason: 'Cancelled', message: 'Its run was cancelled.' })
    return { state: 'cancelled' }
  }
  if (evaluation.phase === 'Pending') {
    const change = { phase: 'Running' as const, started_at: services.now() }
    await run.save({
      entries: [{ kind: 'step.started', data: { step: `${evaluation.dataset?.cases ?? 0} cases` } }],
      also: async (tx) => {
        await changeEvaluation(tx.tables<EvalTables>(), run.id, change)
      },
    })
    return { state: 'waiting', afterMs: 0 }
  }
  // Ended by its route: the runs of its cases are cancelled with this one.
  if (evaluation.phase !== 'Running') return { state: 'succeeded', output: toOutput(evaluation) }
  return continueEvaluation(step)
}

async function continueEvaluation(step: EvaluationStep): Promise<ExecutorResult> {
  const { run, evaluation, services } = step
  const { concurrency = DEFAULT_CONCURRENCY } = evaluation.suite_spec
  const open = await readOpenCases(services.store.reader<EvalTables>(), run.id, concurrency + WAITING_CASES)
  const started = open.filter(({ run_id }) => run_id !== null)
  const waiting = open.filter(({ run_id }) => run_id === null)
  const { settled, repeated, isCapped } = await settleCases(step, started)
  const stop = isCapped ? capReached : findStop(evaluation, services.now())
  if (stop !== undefined) return finishEvaluation(step, undefined, stop)
  const free = concurrency - (started.length - settled - repeated)
  if (waiting.length < free && !evaluation.all_read) {
    if (!(await readMoreCases(step))) return finishEvaluation(step, datasetDeleted)
    return { state: 'waiting', afterMs: 0 }
  }
  if (open.length === settled && evaluation.all_read) return finishEvaluation(step)
  await startCases(step, waiting.slice(0, Math.max(free, 0)))
  return { state: 'waiting', afterMs: settled + repeated > 0 ? 0 : WAIT_MS }
}

function toOutput({ phase, score }: SelectedEvaluation): object {
  return { phase, score }
}
