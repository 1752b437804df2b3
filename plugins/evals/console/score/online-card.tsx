import { useQuery } from '@tanstack/react-query'
import type { OnlineScoreView } from '#schemas/api/online-scores.ts'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Sparkline } from '#ui/parts/figure/sparkline.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Count, Money } from '#ui/parts/value/numbers.tsx'
import { toScore } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import styles from './score.module.css'

const text = evalsText.online
type OnlineItem = OnlineScoreView['items'][number]

/** As the platform names scores by people. */
const FEEDBACK = 'feedback'

const columns: readonly DataColumn<OnlineItem>[] = [
  { title: text.evaluator, isWide: true, cell: (item) => <b className="clip">{nameOf(item)}</b> },
  { title: text.score, align: 'end', cell: ({ score }) => <span className="num">{toScore(score)}</span> },
  { title: text.count, align: 'end', rank: 2, cell: ({ count }) => <Count value={count} /> },
  {
    title: text.over,
    align: 'end',
    cell: (item) => (
      <Sparkline
        values={item.buckets.map(({ score }) => score)}
        label={text.line(nameOf(item), toScore(item.score), item.count)}
      />
    ),
  },
]

function nameOf({ evaluator }: OnlineItem): string {
  return evaluator === FEEDBACK ? text.feedback : evaluator
}

/** How runs in production score, by evaluator. */
export function OnlineCard({ place: { namespace, name } }: { readonly place: { namespace: string; name: string } }) {
  const query = apiQuery<OnlineScoreView>(['agents', namespace, name, 'online-score'])
  const { data, error, refetch } = useQuery(query)
  const isAbsent = error instanceof ApiProblem && error.facts.status === 404
  return (
    <Card title={text.title} isFlush={data !== undefined && data.items.length > 0}>
      {isAbsent ? <p className="faint">{text.absent}</p> : undefined}
      {data === undefined && error !== null && !isAbsent ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {data === undefined ? undefined : <OnlineScores shown={data} />}
    </Card>
  )
}

function OnlineScores({ shown }: { readonly shown: OnlineScoreView }) {
  const { items, suite, sampled, skipped, skippedFor, cost } = shown
  if (items.length === 0) return <p className="faint">{suite === null ? text.noSuite : text.none}</p>
  return (
    <>
      <DataTable
        label={text.title}
        columns={columns}
        rows={items}
        keyOf={({ evaluator }) => evaluator}
        empty={undefined}
        isInCard
      />
      <p className={styles['foot']}>
        {suite === null ? undefined : <span dir="auto">{text.by(suite)}</span>}
        <span className="num">{text.sampled(sampled, skipped)}</span>
        {skippedFor.map(({ reason, count }) => (
          <span key={reason} className="num">
            {text.reason(text.reasons[reason], count)}
          </span>
        ))}
        {cost === null ? undefined : <Money amount={cost.amount} currency={cost.currency} />}
      </p>
    </>
  )
}
