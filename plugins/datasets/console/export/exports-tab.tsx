import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { Duration } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { DatasetItems, DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { ExportDock } from './export-dock.tsx'

const text = datasetsText.export

type ListedRun = Static<typeof Run>

const columns: readonly DataColumn<ListedRun>[] = [
  { title: text.state, cell: ({ state }) => <StatusBadge state={state} /> },
  { title: text.by, isWide: true, cell: ({ trigger }) => <Actor name={trigger.by} /> },
  { title: text.took, rank: 3, align: 'end', cell: ({ durationMs }) => <Duration ms={durationMs} /> },
  { title: text.started, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The exports of runs that were started at this dataset, and the one that is open. */
export function ExportsTab({ place }: { readonly place: DatasetName }) {
  const { namespace, name } = place
  const [{ item }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const query = { namespace, trigger: 'export', label: `dataset=${name}`, cursor }
  const { data, error, refetch } = useQuery(apiQuery<DatasetItems<ListedRun>>(['runs'], query))
  const next = data?.nextCursor ?? null
  return (
    <Split
      dock={
        item === undefined ? undefined : (
          <ExportDock key={item} place={place} id={item} onClose={() => change({ item: undefined })} />
        )
      }
    >
      <DataTable
        label={datasetsText.tabs.exports}
        columns={columns}
        rows={data?.items}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={({ id }) => change({ item: id }, 'push')}
        selected={item === undefined ? undefined : new Set([item])}
        empty={
          <EmptyState icon="download" title={text.empty}>
            {text.emptyDetail}
          </EmptyState>
        }
      />
      {data?.items.length === 0 && cursor === undefined ? undefined : (
        <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
      )}
    </Split>
  )
}
