import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunStats } from '#schemas/api/run-stats.ts'
import { useLive } from '#ui/api/live/live.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { LiveBadge } from '#ui/parts/status/live-badge.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { useBulk } from '#ui/parts/table/use-bulk.ts'
import { Pager } from '#ui/parts/table/pager.tsx'
import { CancelSelected } from './cancel-selected.tsx'
import { runsText as text } from './text.ts'
import { runColumns } from './run-columns.tsx'
import type { RunOfList } from './run-columns.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunHistogram } from './run-histogram.tsx'
import { rangeOf, setFilters, toRunListQuery, withoutFilters } from './run-search.ts'
import styles from './runs-page.module.css'
import { useHeldRows } from './use-held-rows.ts'

interface RunPage {
  readonly items: readonly RunOfList[]
  readonly nextCursor: string | null
}

const BINS = 60
const MOST_AGENTS = 50

/** What happened: runs, newest first, with their number over time. */
export function RunsPage() {
  const [search, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [openedAt] = useState(Date.now)
  const query = toRunListQuery(search, openedAt)
  const live = useLive()
  const list = useQuery(apiQuery<RunPage>(['runs'], { ...query, order: search['order'], cursor }))
  const counted = { ...query, bins: BINS, groupBy: 'agent', top: MOST_AGENTS }
  const stats = useQuery(apiQuery<RunStats>(['runs', 'stats'], counted))
  const listed = JSON.stringify([query, search])
  const { rows, waiting, onScrollCapture, showNew } = useHeldRows(list.data?.items, listed)
  const bulk = useBulk(listed)
  const navigate = useNavigate()
  const next = list.data?.nextCursor ?? null
  const retry = (): void => {
    list.refetch().catch(() => undefined)
  }
  const open = ({ id }: RunOfList): void => {
    navigate({ to: `/runs/${encodeURIComponent(id)}` }).catch(() => undefined)
  }
  return (
    <>
      <PageBar title={text.title}>
        <LiveBadge state={live} />
      </PageBar>
      <RunFilters search={search} onChange={change} agents={agentsOf(stats.data)} />
      <RunHistogram stats={stats.data} isOpen={rangeOf(search).to === undefined} />
      <div className={styles['list']} onScrollCapture={onScrollCapture}>
        {waiting === 0 ? undefined : (
          <span className={styles['new']}>
            <Button isSmall icon="up" onClick={showNew}>
              {text.waiting(waiting)}
            </Button>
          </span>
        )}
        <DataTable
          label={text.title}
          columns={runColumns}
          rows={rows}
          keyOf={({ id }) => id}
          error={list.error}
          onRetry={retry}
          onOpen={open}
          bulk={bulk}
          empty={<NoRuns isFiltered={setFilters(search).length > 0} onChange={change} />}
        />
      </div>
      <CancelSelected bulk={bulk} rows={rows ?? []} />
      <Pager
        note={text.notes[search['order'] as keyof typeof text.notes] ?? text.notes.newest}
        order={search['order'] === undefined ? 'newest' : 'other'}
        onNewer={onNewer}
        onOlder={next === null ? undefined : () => older(next)}
      />
    </>
  )
}

function agentsOf(stats: RunStats | undefined): readonly string[] {
  const names = (stats?.groups ?? []).flatMap(({ agent }) => (agent === undefined ? [] : [agent.name]))
  return [...new Set(names)].toSorted()
}

interface NoRunsProps {
  readonly isFiltered: boolean
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void
}

function NoRuns({ isFiltered, onChange }: NoRunsProps) {
  if (isFiltered) return <NoMatch onClear={() => onChange(withoutFilters())} />
  return (
    <EmptyState
      icon="activity"
      title={text.empty}
      action={<Button onClick={() => onChange({ from: '30d', to: undefined })}>{text.emptyAction}</Button>}
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
