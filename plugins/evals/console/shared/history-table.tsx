import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './history-table.module.css'
import { toScore } from './shown-results.ts'
import type { PastEvaluation } from './shown-results.ts'
import { evalsText } from './text.ts'

const text = evalsText.history

const columns: readonly DataColumn<PastEvaluation>[] = [
  {
    title: text.revision,
    cell: ({ revision, deployed, overridden }) => (
      <span className="row">
        <b className="num">{evalsText.revision(revision)}</b>
        {deployed ? <Tag tone="ok">{text.deployed}</Tag> : undefined}
        {overridden ? <Tag tone="warn">{text.overridden}</Tag> : undefined}
      </span>
    ),
  },
  {
    title: text.agent,
    rank: 3,
    isWide: true,
    cell: ({ agent }) => (
      <span className="clip" dir="auto">
        {agent}
      </span>
    ),
  },
  { title: text.phase, cell: ({ phase }) => <StatusBadge state={phase} isPlain /> },
  { title: text.score, align: 'end', cell: ({ score }) => <span className="num">{toScore(score)}</span> },
  { title: text.ended, rank: 2, align: 'end', cell: ({ finishedAt }) => <Time at={finishedAt} /> },
]

interface HistoryTableProps {
  readonly history: readonly PastEvaluation[]
  readonly shown: string | undefined
  readonly onOpen?: (past: PastEvaluation) => void
}

/** Earlier evaluations, newest first: what the chart shows, in words. */
export function HistoryTable({ history, shown, onOpen }: HistoryTableProps) {
  return (
    <div className={styles['history']}>
      <DataTable
        label={text.title}
        columns={columns}
        rows={history}
        keyOf={({ evaluationId }) => evaluationId}
        selected={shown === undefined ? undefined : new Set([shown])}
        {...(onOpen === undefined ? {} : { onOpen })}
        empty={undefined}
        isInCard
      />
    </div>
  )
}
