import type { EvalTables } from '../contract/tables.ts'
import { insertCases } from '../store/cases.ts'
import { changeEvaluation } from '../store/evaluations.ts'
import type { EvaluationStep } from './step.ts'

const PAGE = 50

/** Reads a page of cases into the evaluation. */
export async function readMoreCases({ services, run, evaluation }: EvaluationStep): Promise<void> {
  const { dataset, cursor, suite_spec: spec } = evaluation
  const page =
    dataset === null
      ? { cases: [], next: undefined }
      : await services.datasets.readCases(dataset, { after: cursor ?? undefined, limit: PAGE })
  await run.save({
    also: async (tx) => {
      const db = tx.tables<EvalTables>()
      await insertCases(db, run.id, page.cases, spec.repetitions ?? 1)
      await changeEvaluation(db, run.id, { cursor: page.next ?? null, all_read: page.next === undefined })
    },
  })
}
