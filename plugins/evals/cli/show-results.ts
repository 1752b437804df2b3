import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { readAllCases } from './gate/read-results.ts'

interface ResultsValues {
  readonly suite: string
  readonly agent: string | undefined
  readonly revision: number | undefined
  readonly history: boolean
}

type CaseResult = EvalResultsView['cases'][number]
type PastEvaluation = EvalResultsView['history'][number]

const cases: ResourceTable<CaseResult> = {
  name: ({ caseId }) => `case/${caseId}`,
  columns: {
    CASE: ({ caseId }) => caseId,
    PASSED: ({ passed }) => passed,
    SCORE: ({ score }) => score,
    REGRESSION: ({ regression }) => regression,
    SCORES: ({ scores }) => scores.map(({ evaluator, score }) => `${evaluator}:${score}`).join(' '),
    ERROR: ({ error }) => error,
  },
  wide: { RUNS: ({ runIds }) => runIds.join(' ') },
}

const evaluations: ResourceTable<PastEvaluation> = {
  name: ({ evaluationId }) => `evaluation/${evaluationId}`,
  columns: {
    EVALUATION: ({ evaluationId }) => evaluationId,
    REVISION: ({ revision }) => revision,
    PHASE: ({ phase }) => phase,
    SCORE: ({ score }) => score,
    SERVES: ({ deployed }) => deployed,
    OVERRIDDEN: ({ overridden }) => overridden,
    AGE: ({ finishedAt }) => (finishedAt === null ? null : new Date(finishedAt)),
  },
}

/** Lists the cases of an evaluation, or the evaluations of a suite. */
export async function listResults({ api, namespace, values, printer }: ApiInput<ResultsValues>): Promise<number> {
  const { history, suite, agent, revision } = values
  const results = await readAllCases(api, { namespace, suite, agent, revision })
  if (history) await printer.list(evaluations, { items: results.history, nextCursor: null })
  else await printer.list(cases, { items: results.cases, nextCursor: null })
  return 0
}
