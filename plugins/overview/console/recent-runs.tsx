import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useReachable } from '#ui/contract/reachable.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './home.module.css'
import { homeText } from './text.ts'

type ListedRun = Static<typeof Run>

const { recent: text } = homeText
const SHOWN = 9

const columns: readonly DataColumn<ListedRun>[] = [
  { title: text.state, cell: ({ state }) => <StatusBadge state={state} isPlain /> },
  { title: text.agent, cell: (run) => <RunLink run={run} /> },
  { title: text.input, rank: 2, isWide: true, cell: ({ inputPreview }) => <span dir="auto">{inputPreview}</span> },
  { title: text.duration, align: 'end', rank: 2, cell: ({ durationMs }) => <Duration ms={durationMs} /> },
  {
    title: text.cost,
    align: 'end',
    rank: 2,
    cell: ({ cost }) => <Money amount={cost?.amount} currency={cost?.currency ?? ''} />,
  },
  { title: text.started, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The latest runs. */
export function RecentRuns({ scope }: { readonly scope: { readonly namespace?: string; readonly scope?: string } }) {
  const navigate = useNavigate()
  const query = apiQuery<{ readonly items: readonly ListedRun[] }>(['runs'], { ...scope, limit: SHOWN })
  const { data, error, refetch } = useQuery(query)
  const all = useReachable()('/runs') ? (
    <Link to="/runs" className={styles['all']}>
      {text.all}
      <Icon name="arrow" size={13} />
    </Link>
  ) : undefined
  return (
    <Card title={text.title} action={all} isFlush>
      <DataTable
        isInCard
        label={text.title}
        columns={columns}
        rows={data?.items}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => refetch().catch(() => undefined)}
        onOpen={({ id }) => navigate({ to: `/runs/${id}` }).catch(() => undefined)}
        empty={
          <EmptyState icon="activity" title={text.empty}>
            {text.emptyDetail}
          </EmptyState>
        }
      />
    </Card>
  )
}

function RunLink({ run: { id, agent, executor } }: { readonly run: ListedRun }) {
  return (
    <Link to={`/runs/${id}`} tabIndex={-1}>
      <AgentName name={agent?.name ?? executor ?? id} />
    </Link>
  )
}
