import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Score } from '#schemas/api/feedback.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { feedbackText as text } from './text.ts'

type ShownScore = Static<typeof Score>

interface ScorePage {
  readonly items: readonly ShownScore[]
  readonly nextCursor: string | null
}

const { columns: titles } = text
const columns: readonly DataColumn<ShownScore>[] = [
  { title: titles.agent, cell: ({ agent }) => (agent === null ? '—' : <AgentName name={agent} />) },
  { title: titles.namespace, rank: 3, cell: ({ namespace }) => namespace },
  { title: titles.name, rank: 2, cell: ({ name }) => name },
  { title: titles.value, align: 'end', cell: ({ value }) => String(value) },
  { title: titles.comment, rank: 2, isWide: true, cell: ({ comment }) => <span dir="auto">{comment}</span> },
  { title: titles.by, rank: 3, cell: ({ createdBy }) => <Actor name={createdBy} /> },
  { title: titles.time, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** What people say: scores, newest first. */
export function FeedbackPage() {
  const [{ namespace, agent }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery(apiQuery<ScorePage>(['feedback'], { ...scope, agent, cursor }))
  const next = data?.nextCursor ?? null
  return (
    <>
      <PageBar title={text.title} />
      <FilterBar setCount={agent === undefined ? 0 : 1} onClear={() => change({ agent: undefined })}>
        <SearchField
          label={text.search}
          value={agent ?? ''}
          onChange={(value) => change({ agent: value, cursor: undefined })}
        />
      </FilterBar>
      <DataTable
        label={text.scores}
        columns={columns}
        rows={data?.items}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        empty={agent === undefined ? <NoScores /> : <NoMatch onClear={() => change({ agent: undefined })} />}
      />
      <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}

function NoScores() {
  return (
    <EmptyState icon="feedback" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
