import { useAddress } from '#ui/contract/search.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { HistoryTable } from '../shared/history-table.tsx'
import { ScoreChart } from '../shared/score-chart.tsx'
import { evalsText as text } from '../shared/text.ts'
import { useResults } from '../shared/use-results.ts'
import type { ReadResults } from '../shared/use-results.ts'
import { CasesCard } from './cases-card.tsx'
import { EvaluatorsCard } from './evaluators-card.tsx'
import { OutcomeCard } from './outcome-card.tsx'
import { SidesCard } from './sides-card.tsx'
import styles from './suite.module.css'
import { toSuite } from './to-suite.ts'

/** What a suite found: the evaluation that is shown, scores over revisions, and the cases with what regressed first. */
export function SuiteOverview({ object }: { readonly object: KindObject }) {
  const suite = toSuite(object)
  const [{ agent, revision }] = useAddress()
  const read = useResults({ namespace: suite.namespace, suite: suite.name, agent, revision })
  const { results, error, retry } = read
  if (results === undefined)
    return error === null ? (
      <div className={styles['wait']} aria-busy />
    ) : (
      <ProblemState error={error} onRetry={retry} />
    )
  const { evaluation, history } = results
  return (
    <>
      <OutcomeCard suite={suite} results={results} />
      {history.length === 0 ? undefined : (
        <Card title={text.history.title}>
          <ScoreChart history={history} minScore={suite.minScore} shown={evaluation?.id} />
          <PastEvaluations read={read} />
        </Card>
      )}
      {evaluation === null ? undefined : (
        <>
          <ShownCase read={read} suite={suite} />
          <CasesCard read={read} />
          <EvaluatorsCard evaluators={results.evaluators} />
        </>
      )}
    </>
  )
}

function PastEvaluations({ read: { results } }: { readonly read: ReadResults }) {
  const [, change] = useAddress()
  return (
    <HistoryTable
      history={results?.history ?? []}
      shown={results?.evaluation?.id}
      onOpen={({ agent, revision }) => change({ agent, revision: String(revision), case: undefined }, 'push')}
    />
  )
}

interface ShownCaseProps {
  readonly read: ReadResults
  readonly suite: ReturnType<typeof toSuite>
}

function ShownCase({ read: { cases, results }, suite }: ShownCaseProps) {
  const [{ case: id }, change] = useAddress()
  const found = cases.find(({ caseId }) => caseId === id)
  if (found === undefined || results?.evaluation == null) return undefined
  return (
    <SidesCard
      key={found.caseId}
      result={found}
      evaluation={results.evaluation}
      suite={suite}
      onClose={() => change({ case: undefined })}
    />
  )
}
