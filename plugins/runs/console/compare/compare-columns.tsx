import type { Static } from 'typebox'
import type { RunComparison } from '#schemas/api/run-compare.ts'
import { toDuration } from '#ui/parts/format/duration.ts'
import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import styles from './compare-page.module.css'
import { compareText as text } from './text.ts'

/** Two runs with their steps side by side. */
export type ComparedRuns = Static<typeof RunComparison>

/** A step of both runs, or of one of them. */
export type ComparedRow = ComparedRuns['steps'][number] & { readonly index: number; readonly isFirst: boolean }

/** Columns of the steps of two runs. */
export const compareColumns: readonly DataColumn<ComparedRow>[] = [
  { title: text.columns.a, cell: ({ a }) => <StepCell step={a} /> },
  { title: text.columns.b, cell: ({ b }) => <StepCell step={b} /> },
  { title: text.columns.difference, rank: 2, isWide: true, cell: (row) => <DifferenceCell row={row} /> },
]

function StepCell({ step }: { readonly step: ComparedRow['a'] }) {
  if (step === null) return <span className={`faint ${styles['step']}`}>{text.absent}</span>
  const { name, depth, status, durationMs } = step
  return (
    <span className={styles['step']} style={{ paddingInlineStart: Math.min(depth, 10) * 14 }}>
      <span className="clip" dir="auto">
        {name}
      </span>
      {status === 'ok' ? undefined : <StatusBadge state={status} isPlain />}
      <span className="num faint">{toDuration(durationMs)}</span>
    </span>
  )
}

function DifferenceCell({ row: { a, b, differs, isFirst } }: { readonly row: ComparedRow }) {
  const words = b === null ? text.onlyA : a === null ? text.onlyB : differs.join(', ')
  if (words === '') return undefined
  return isFirst ? (
    <Tag tone="warn">
      {text.isFirst}: {words}
    </Tag>
  ) : (
    <span className="dim">{words}</span>
  )
}
