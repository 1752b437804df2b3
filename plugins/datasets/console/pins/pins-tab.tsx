import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Actor } from '#ui/parts/value/actor.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import type { DatasetItems, DatasetName, ShownPin } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'

const text = datasetsText.pins

const columns: readonly DataColumn<ShownPin>[] = [
  { title: text.version, cell: ({ version }) => <b className="num">{version}</b> },
  { title: text.digest, cell: ({ digest }) => <IdCopy id={digest.replace('sha256:', '')} /> },
  { title: text.cases, align: 'end', cell: ({ cases }) => <Count value={cases} /> },
  {
    title: text.note,
    isWide: true,
    rank: 2,
    cell: ({ note }) => (
      <span className="clip dim" dir="auto">
        {note}
      </span>
    ),
  },
  { title: text.by, rank: 3, cell: ({ createdBy }) => <Actor name={createdBy} /> },
  { title: text.at, rank: 2, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The pins of the dataset; one opens its cases. */
export function PinsTab({ place: { namespace, name } }: { readonly place: DatasetName }) {
  const [, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const query = apiQuery<DatasetItems<ShownPin>>(['datasets', name, 'pins'], { namespace, cursor })
  const { data, error, refetch } = useQuery(query)
  const next = data?.nextCursor ?? null
  return (
    <>
      <DataTable
        label={datasetsText.tabs.pins}
        columns={columns}
        rows={data?.items}
        keyOf={({ version }) => String(version)}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={({ version }) => change({ tab: undefined, cursor: undefined, pin: String(version) }, 'push')}
        empty={
          <EmptyState icon="lock" title={text.empty}>
            {text.emptyDetail}
          </EmptyState>
        }
      />
      <Pager note={text.order} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}
