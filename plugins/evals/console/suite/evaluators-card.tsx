import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { Card } from '#ui/parts/page/card.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { toScore } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'

const text = evalsText.evaluators

type EvaluatorResult = EvalResultsView['evaluators'][number]

const columns: readonly DataColumn<EvaluatorResult>[] = [
  { title: text.name, isWide: true, cell: ({ name }) => <b className="clip">{name}</b> },
  { title: text.type, rank: 2, cell: ({ type }) => <span className="mono clip">{type}</span> },
  { title: text.weight, align: 'end', cell: ({ weight }) => <span className="num">{weight}</span> },
  { title: text.score, align: 'end', cell: ({ score }) => <span className="num">{toScore(score)}</span> },
]

/** Which evaluator scored how. */
export function EvaluatorsCard({ evaluators }: { readonly evaluators: readonly EvaluatorResult[] }) {
  return (
    <Card title={text.title} isFlush>
      <DataTable
        label={text.title}
        columns={columns}
        rows={evaluators}
        keyOf={({ name }) => name}
        empty={undefined}
        isInCard
      />
    </Card>
  )
}
