import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Count, Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { agentRunsText as text } from './text.ts'

type ListedRun = Static<typeof Run>

interface RunPage {
  readonly items: readonly ListedRun[]
  readonly nextCursor: string | null
}

const states = (['all', 'running', 'paused', 'failed'] as const).map((value) => ({ value, label: text.states[value] }))

const { columns: titles } = text
const columns: readonly DataColumn<ListedRun>[] = [
  { title: titles.state, cell: ({ id, state }) => <StateLink id={id} state={state} /> },
  { title: titles.input, isWide: true, cell: ({ inputPreview }) => <span dir="auto">{inputPreview ?? UNKNOWN}</span> },
  { title: titles.by, rank: 3, cell: ({ subject }) => <Actor name={subject} /> },
  { title: titles.duration, rank: 2, align: 'end', cell: ({ durationMs }) => <Duration ms={durationMs} /> },
  { title: titles.tokens, rank: 3, align: 'end', cell: ({ usage }) => <Count value={tokensOf(usage)} /> },
  {
    title: titles.cost,
    rank: 2,
    align: 'end',
    cell: ({ cost }) => <Money amount={cost?.amount} currency={cost?.currency ?? ''} />,
  },
  { title: titles.created, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The runs of the agent, newest first. */
export function AgentRunsTab({ place: { namespace, name } }: AgentTabProps) {
  const [{ state: given }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const navigate = useNavigate()
  const state = states.find(({ value }) => value === given)?.value ?? 'all'
  const query = { state: state === 'all' ? undefined : state, cursor }
  const { data, error, refetch } = useQuery({
    ...apiQuery<RunPage>(['agents', namespace, name, 'runs'], query),
    placeholderData: keepPreviousData,
  })
  const next = data?.nextCursor ?? null
  const clear = (): void => change({ state: undefined, cursor: undefined })
  return (
    <>
      <FilterBar setCount={state === 'all' ? 0 : 1} onClear={clear}>
        <Segmented
          label={text.stateLabel}
          value={state}
          options={states}
          onChange={(value) => change({ state: value === 'all' ? undefined : value, cursor: undefined })}
        />
        <span className="grow" />
        <Link to="/runs" search={{ namespace, agent: name } as never} className="link">
          {text.all}
        </Link>
      </FilterBar>
      <DataTable
        label={text.title}
        columns={columns}
        rows={data?.items}
        keyOf={({ id }) => id}
        onOpen={({ id }) => {
          navigate({ to: `/runs/${id}` }).catch(() => undefined)
        }}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        empty={state === 'all' ? <NoRuns /> : <NoMatch onClear={clear} />}
      />
      <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}

function StateLink({ id, state }: Pick<ListedRun, 'id' | 'state'>) {
  return (
    <Link to={`/runs/${id}`}>
      <StatusBadge state={state} />
    </Link>
  )
}

function tokensOf({ inputTokens, outputTokens }: ListedRun['usage']): number {
  return inputTokens + outputTokens
}

function NoRuns() {
  return (
    <EmptyState icon="activity" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
