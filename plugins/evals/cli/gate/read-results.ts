import type { ApiClient } from '#cli/contract/api-client.ts'
import { fieldOf } from '#cli/contract/field-of.ts'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'

/** The suite whose results are read, and its agent. */
export interface ResultsOf {
  readonly namespace: string
  readonly suite: string
  readonly agent?: string | undefined
  readonly revision?: number | undefined
}

const PAGE = 1_000

/** Reads the results of the newest evaluation without its cases. */
export function readSummary(api: ApiClient, { namespace, suite, agent }: ResultsOf): Promise<EvalResultsView> {
  return api.get(['evalsuites', namespace, suite, 'results'], { agent, limit: 1 })
}

/** Reads the results of an evaluation with every case. */
export async function readAllCases(api: ApiClient, of: ResultsOf): Promise<EvalResultsView> {
  const { namespace, suite, agent, revision } = of
  const cases: EvalResultsView['cases'] = []
  let after: string | undefined
  for (;;) {
    const query = { agent, revision, limit: PAGE, after }
    const page = await api.get<EvalResultsView>(['evalsuites', namespace, suite, 'results'], query)
    cases.push(...page.cases)
    const next = fieldOf(page, 'next')
    if (next === null) return { ...page, cases }
    after = next
  }
}
