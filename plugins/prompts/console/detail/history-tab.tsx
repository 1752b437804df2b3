import { useQuery } from '@tanstack/react-query'
import type { PromptMove } from '#schemas/api/prompts.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { promptPath } from '../shared/shown-prompt.ts'
import type { PromptPlace } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'

const { history: text, version: versionText, noMoves, noMovesDetail, tabs } = promptsText

const columns: readonly DataColumn<PromptMove>[] = [
  { title: text.label, isWide: true, cell: ({ label }) => <Tag tone="info">{label}</Tag> },
  { title: text.from, align: 'end', rank: 2, cell: ({ from }) => (from === null ? text.none : versionText(from)) },
  { title: text.to, align: 'end', cell: ({ to }) => (to === null ? text.removed : versionText(to)) },
  { title: text.by, rank: 2, cell: ({ movedBy }) => <Actor name={movedBy} /> },
  { title: text.at, align: 'end', cell: ({ movedAt }) => <Time at={movedAt} /> },
]

interface MovePage {
  readonly items: readonly PromptMove[]
  readonly nextCursor: string | null
}

/** The moves of the labels, newest first. */
export function PromptHistoryTab({ place }: { readonly place: PromptPlace }) {
  const { cursor, onNewer, older } = usePaging()
  const query = apiQuery<MovePage>([...promptPath(place), 'history'], { cursor })
  const { data, error, refetch } = useQuery(query)
  const next = data?.nextCursor ?? null
  return (
    <>
      <DataTable
        label={tabs.history}
        columns={columns}
        rows={data?.items}
        keyOf={({ label, movedAt, to }) => `${label} ${movedAt} ${to}`}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        empty={
          <EmptyState icon="activity" title={noMoves}>
            {noMovesDetail}
          </EmptyState>
        }
      />
      <Pager note="" onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}
