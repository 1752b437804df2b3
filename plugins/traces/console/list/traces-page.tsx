import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { TraceOverview } from '#schemas/api/traces.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { toInstants } from '#ui/parts/filter/ranges.ts'
import { TimeRange } from '#ui/parts/filter/time-range.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Count, Duration } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { tracesText as text } from './text.ts'

type ShownTrace = Static<typeof TraceOverview>

interface TracePageOfList {
  readonly items: readonly ShownTrace[]
  readonly nextCursor: string | null
}

const { columns: titles, states } = text
const choices = [
  { value: '', label: states.all },
  { value: 'error', label: states.error },
  { value: 'ok', label: states.ok },
]

// A trace of a run is the run.
function pathOf({ traceId, runId }: ShownTrace): string {
  return runId === null ? `/traces/${traceId}` : `/runs/${encodeURIComponent(runId)}`
}

const columns: readonly DataColumn<ShownTrace>[] = [
  { title: titles.status, cell: ({ status }) => <StatusBadge state={status === 'unset' ? 'unknown' : status} /> },
  {
    title: titles.name,
    isWide: true,
    cell: (trace) => (
      <Link to={pathOf(trace)} tabIndex={-1} dir="auto">
        {trace.name}
      </Link>
    ),
  },
  { title: titles.agent, rank: 2, cell: ({ agent }) => <AgentName name={agent} /> },
  { title: titles.spans, align: 'end', rank: 3, cell: ({ spans }) => <Count value={spans} /> },
  { title: titles.errors, align: 'end', rank: 3, cell: ({ errors }) => <Count value={errors} /> },
  { title: titles.duration, align: 'end', rank: 2, cell: ({ durationMs }) => <Duration ms={durationMs} /> },
  { title: titles.started, align: 'end', cell: ({ startedAt }) => <Time at={startedAt} /> },
]

/** Traces of agents, newest first. */
export function TracesPage() {
  const [{ namespace, agent, status = '', from = '24h', to }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [openedAt] = useState(Date.now)
  const navigate = useNavigate()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const range = toInstants({ from, to }, openedAt) ?? toInstants({ from: '24h' }, openedAt)
  const asked = { ...scope, ...range, agent, status: status === '' ? undefined : status, cursor }
  const { data, error, refetch } = useQuery(apiQuery<TracePageOfList>(['traces'], asked))
  const filters = [agent, status].filter((value) => value !== undefined && value !== '').length
  const clear = (): void => change({ agent: undefined, status: undefined, cursor: undefined })
  const next = data?.nextCursor ?? null
  return (
    <>
      <PageBar title={text.title} />
      <FilterBar setCount={filters} onClear={clear}>
        <SearchField
          label={text.agent}
          value={agent ?? ''}
          onChange={(value) => change({ agent: value, cursor: undefined })}
        />
        <Segmented
          label={text.status}
          value={status}
          options={choices}
          onChange={(value) => change({ status: value, cursor: undefined })}
        />
        <TimeRange
          value={{ from, to }}
          onChange={(span) => change({ from: span.from, to: span.to, cursor: undefined })}
        />
      </FilterBar>
      <DataTable
        label={text.title}
        columns={columns}
        rows={data?.items}
        keyOf={({ traceId, namespace: place }) => `${traceId} ${place}`}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={(trace) => {
          navigate({ to: pathOf(trace) }).catch(() => undefined)
        }}
        empty={
          filters > 0 ? (
            <NoMatch onClear={clear} />
          ) : (
            <EmptyState icon="bars" title={text.empty}>
              {text.emptyDetail}
            </EmptyState>
          )
        }
      />
      <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}
