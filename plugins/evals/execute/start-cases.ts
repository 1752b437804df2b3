import { Fail } from '#core/errors/domain-error.ts'
import type { EvalTables, SelectedEvalCase, SelectedEvaluation } from '../contract/tables.ts'
import { failCase, startCase } from '../store/cases.ts'
import { deadlineOf } from './stop.ts'
import type { EvaluationStep } from './step.ts'

/** Label of the runs of cases. */
const EVALUATION_LABEL = 'mesh.dev/evaluation'

/** Starts the runs of cases, each on the revision and in a conversation of its own. A case whose run is refused has no score. */
export async function startCases(step: EvaluationStep, cases: readonly SelectedEvalCase[]): Promise<void> {
  for (const one of cases) await start(step, one)
}

async function start({ run, evaluation }: EvaluationStep, one: SelectedEvalCase): Promise<void> {
  try {
    const prepared = await run.prepareChild(toRequest(evaluation, one))
    await run.save({
      also: async (tx) => {
        const { runId } = await run.queueChild(tx, prepared)
        await startCase(tx.tables<EvalTables>(), one, runId)
      },
    })
  } catch (error) {
    if (!(error instanceof Fail) || isPassing(error)) throw error
    const message = `The run was refused: ${error.code}.`
    await run.save({ also: (tx) => failCase(tx.tables<EvalTables>(), one, message) })
  }
}

// Quotas have room again, and a candidate takes a moment to be ready.
function isPassing({ code }: Fail): boolean {
  return ['too_many_runs', 'quota_exceeded', 'agent_not_observed'].includes(code)
}

function toRequest(evaluation: SelectedEvaluation, one: SelectedEvalCase) {
  return {
    agent: { namespace: evaluation.namespace, name: evaluation.agent },
    revision: evaluation.revision,
    input: one.content?.input ?? null,
    labels: { [EVALUATION_LABEL]: evaluation.id },
    deadline: deadlineOf(evaluation).toISOString(),
    trigger: 'eval',
  }
}
