import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { Actor } from '#ui/parts/value/actor.tsx'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Count, Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { runsText as text } from './text.ts'
import { tokensOf } from './run-numbers.ts'
import styles from './runs-page.module.css'

/** A run of a list. */
export type RunOfList = Static<typeof Run>

const { columns: titles } = text

/** Columns of a list of runs. */
export const runColumns: readonly DataColumn<RunOfList>[] = [
  { title: titles.state, cell: (run) => <RunState run={run} /> },
  { title: titles.agent, cell: (run) => <RunLink run={run} /> },
  { title: titles.input, rank: 2, isWide: true, cell: (run) => <RunInput run={run} /> },
  {
    title: titles.subject,
    rank: 3,
    cell: ({ subject }) => (
      <span className={styles['subject']}>
        <Actor name={subject} />
      </span>
    ),
  },
  { title: titles.trigger, rank: 4, cell: ({ trigger }) => <span className="dim">{trigger.kind}</span> },
  { title: titles.duration, align: 'end', rank: 2, cell: ({ durationMs }) => <Duration ms={durationMs} /> },
  { title: titles.tokens, align: 'end', rank: 3, cell: (run) => <Count value={tokensOf(run)} /> },
  {
    title: titles.cost,
    align: 'end',
    rank: 3,
    cell: ({ treeCost, cost }) => {
      const shown = treeCost ?? cost
      return <Money amount={shown?.amount} currency={shown?.currency ?? ''} />
    },
  },
  { title: titles.started, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Why a run is in its state, as the API names it. */
export function reasonOf({ failReason, pauseReason, waitReason }: RunOfList): string | undefined {
  return failReason ?? pauseReason ?? waitReason?.code
}

function RunState({ run }: { readonly run: RunOfList }) {
  const reason = reasonOf(run)
  return (
    <span className="row">
      <StatusBadge state={run.state} />
      {reason === undefined ? undefined : <span className={`faint ${styles['reason']}`}>{reason}</span>}
    </span>
  )
}

function RunLink({ run: { id, agent, executor } }: { readonly run: RunOfList }) {
  return (
    <Link to={`/runs/${encodeURIComponent(id)}`} tabIndex={-1} className={styles['agent']}>
      <AgentName
        name={agent?.name ?? executor ?? UNKNOWN}
        revision={agent?.revision == null ? undefined : `r${agent.revision}`}
      />
    </Link>
  )
}

function RunInput({ run: { inputPreview } }: { readonly run: RunOfList }) {
  if (inputPreview == null) return <span className="faint">{UNKNOWN}</span>
  return (
    <span dir="auto" className="dim">
      {inputPreview}
    </span>
  )
}
