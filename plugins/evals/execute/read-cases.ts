import { Fail } from '#core/errors/domain-error.ts'
import type { EvalTables } from '../contract/tables.ts'
import { insertCases } from '../store/cases.ts'
import { changeEvaluation } from '../store/evaluations.ts'
import type { EvaluationStep } from './step.ts'

const PAGE = 50

/** Reads a page of cases into the evaluation; false if its dataset was deleted. */
export async function readMoreCases(step: EvaluationStep): Promise<boolean> {
  const { run, evaluation } = step
  const page = await readPage(step)
  if (page === undefined) return false
  await run.save({
    also: async (tx) => {
      const db = tx.tables<EvalTables>()
      await insertCases(db, run.id, page.cases, evaluation.suite_spec.repetitions ?? 1)
      await changeEvaluation(db, run.id, { cursor: page.next ?? null, all_read: page.next === undefined })
    },
  })
  return true
}

function readPage({ services, evaluation: { dataset, cursor } }: EvaluationStep) {
  if (dataset === null) return { cases: [], next: undefined }
  return services.datasets.readCases(dataset, { after: cursor ?? undefined, limit: PAGE }).catch((error: unknown) => {
    if (error instanceof Fail && error.code === 'not_found') return undefined
    throw error
  })
}
