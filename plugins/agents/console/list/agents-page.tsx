import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useLive } from '#ui/api/live/live.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { LiveBadge } from '#ui/parts/status/live-badge.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { agentAddress } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import { agentColumns } from './columns.tsx'
import { agentListText as text } from './text.ts'

interface AgentPageResponse {
  readonly items: readonly ShownAgent[]
  readonly nextCursor: string | null
}

const orders = (['name', 'newest', 'oldest'] as const).map((value) => ({ value, label: text.orders[value] }))

const states = (['Ready', '!Ready', 'Degraded', 'EvalGated'] as const).map((value) => ({
  value,
  label: text.states[value],
}))

/** Which agents are well: their state, and their runs of the last day. */
export function AgentsPage() {
  const [{ namespace, q, order, condition }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const navigate = useNavigate()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery({
    ...apiQuery<AgentPageResponse>(['agents'], { ...scope, q, condition, order, cursor, include: 'stats' }),
    placeholderData: keepPreviousData,
  })
  const go = (to: string): void => {
    navigate({ to }).catch(() => undefined)
  }
  const clear = (): void => change({ q: undefined, condition: undefined, cursor: undefined })
  const next = data?.nextCursor ?? null
  const isWhole = next === null && cursor === undefined
  return (
    <>
      <PageBar
        title={text.title}
        actions={[{ text: text.create, icon: 'plus', rank: 'primary', onPick: () => go('/agents/new') }]}
      >
        <LiveBadge state={useLive()} />
      </PageBar>
      <FilterBar setCount={[q, condition].filter((one) => one !== undefined).length} onClear={clear}>
        <SearchField
          label={text.search}
          value={q ?? ''}
          onChange={(value) => change({ q: value, cursor: undefined })}
        />
        <Facet
          label={text.state}
          options={states}
          value={condition}
          onChange={(value) => change({ condition: value, cursor: undefined })}
        />
        <Segmented
          label={text.order}
          value={orders.find(({ value }) => value === order)?.value ?? 'name'}
          options={orders}
          onChange={(value) => change({ order: value === 'name' ? undefined : value, cursor: undefined })}
        />
        <span className="grow" />
        {data !== undefined && isWhole ? (
          <span className="faint num clip">{text.count(data.items.length)}</span>
        ) : undefined}
      </FilterBar>
      <DataTable
        label={text.title}
        columns={agentColumns}
        rows={data?.items}
        keyOf={({ metadata }) => `${metadata.namespace}/${metadata.name}`}
        onOpen={({ metadata }) => go(agentAddress(metadata))}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        empty={
          q === undefined && condition === undefined ? (
            <NoAgents onCreate={() => go('/agents/new')} />
          ) : (
            <NoMatch onClear={clear} />
          )
        }
      />
      {isWhole ? undefined : (
        <Pager
          note={text.note}
          order={order === 'newest' ? order : 'other'}
          onNewer={onNewer}
          onOlder={next === null ? undefined : () => older(next)}
        />
      )}
    </>
  )
}

function NoAgents({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon="agent"
      title={text.empty}
      action={
        <Button kind="primary" icon="plus" onClick={onCreate}>
          {text.create}
        </Button>
      }
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
