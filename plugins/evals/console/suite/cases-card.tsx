import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { toDelta } from '#ui/parts/format/counts.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { Tone } from '#ui/parts/status/tones.ts'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { changeOf, outcomeOf, scoreReasonOf, toScore, worstFirst } from '../shared/shown-results.ts'
import type { ShownResult } from '../shared/shown-results.ts'
import { evalsText } from '../shared/text.ts'
import type { ReadResults } from '../shared/use-results.ts'
import styles from './suite.module.css'

const text = evalsText.cases

const tones: Readonly<Record<ReturnType<typeof outcomeOf>, Tone>> = {
  regressed: 'bad',
  errored: 'warn',
  failed: 'bad',
  passed: 'ok',
}
const icons = { regressed: 'down', errored: 'hourglass', failed: 'cross', passed: 'check' } as const

const columns: readonly DataColumn<ShownResult>[] = [
  { title: text.id, minPx: 120, cell: ({ caseId }) => <span className="mono clip">{caseId}</span> },
  {
    title: text.outcome,
    cell: (result) => {
      const outcome = outcomeOf(result)
      return (
        <Tag tone={tones[outcome]} icon={icons[outcome]}>
          {text[outcome]}
        </Tag>
      )
    },
  },
  { title: text.score, align: 'end', cell: ({ score }) => <span className="num">{toScore(score)}</span> },
  {
    title: text.baseline,
    rank: 3,
    align: 'end',
    cell: ({ baselineScore }) => <span className="num dim">{toScore(baselineScore)}</span>,
  },
  {
    title: text.change,
    rank: 2,
    align: 'end',
    cell: (result) => {
      const change = changeOf(result)
      return <span className="num">{change === undefined ? toScore(null) : toDelta(change, '', 2)}</span>
    },
  },
  {
    title: text.why,
    rank: 2,
    isWide: true,
    cell: (result) => (
      <span className="clip dim" dir="auto">
        {scoreReasonOf(result)}
      </span>
    ),
  },
]

/** Results by case: what regressed stands first. */
export function CasesCard({ read: { cases, hasMore, isReading, readMore } }: { readonly read: ReadResults }) {
  const [{ case: shown }, change] = useAddress()
  const regressed = cases.filter((one) => outcomeOf(one) === 'regressed').length
  return (
    <Card
      title={text.title}
      isFlush
      action={regressed === 0 ? undefined : <Tag tone="bad">{text.regressions(regressed)}</Tag>}
    >
      <div className={styles['cases']}>
        <DataTable
          label={text.title}
          columns={columns}
          rows={worstFirst(cases)}
          keyOf={({ caseId }) => caseId}
          onOpen={({ caseId }) => change({ case: caseId }, 'push')}
          selected={shown === undefined ? undefined : new Set([shown])}
          empty={
            <PageState icon="data" title={text.none}>
              {text.noneDetail}
            </PageState>
          }
          isInCard
        />
      </div>
      <p className={`row ${styles['foot']}`}>
        <span className="faint grow">{text.order}</span>
        {hasMore ? (
          <Button isSmall isBusy={isReading} onClick={readMore}>
            {text.more}
          </Button>
        ) : undefined}
      </p>
    </Card>
  )
}
