import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { datasetAddress } from '../shared/shown-dataset.ts'
import type { DatasetItems, DatasetName, ShownDataset } from '../shared/shown-dataset.ts'
import { datasetsText as text } from '../shared/text.ts'

const WriteDatasetDialog = lazy(async () => ({
  default: (await import('../write/write-dataset-dialog.tsx')).WriteDatasetDialog,
}))

const { columns: titles } = text
const columns: readonly DataColumn<ShownDataset>[] = [
  {
    title: titles.name,
    cell: ({ name }) => (
      <b className="clip" dir="auto">
        {name}
      </b>
    ),
  },
  { title: titles.namespace, rank: 4, cell: ({ namespace }) => namespace },
  {
    title: titles.about,
    rank: 2,
    isWide: true,
    cell: ({ description }) => (
      <span className="clip dim" dir="auto">
        {description}
      </span>
    ),
  },
  { title: titles.cases, align: 'end', cell: ({ cases }) => <Count value={cases} /> },
  { title: titles.labels, align: 'end', rank: 3, cell: ({ labels }) => <Count value={labels} /> },
  {
    title: titles.pin,
    cell: ({ latestPin }) =>
      latestPin === null ? <span className="faint">{text.none}</span> : <Tag>{text.pin(latestPin.version)}</Tag>,
  },
  { title: titles.changed, rank: 2, align: 'end', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
]

/** Datasets by name: how many cases and labels they have, and their latest pin. */
export function DatasetsPage() {
  const [{ namespace, q }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [isMaking, setMaking] = useState(false)
  const navigate = useNavigate()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const query = apiQuery<DatasetItems<ShownDataset>>(['datasets'], { ...scope, q, cursor })
  const { data, error, refetch } = useQuery(query)
  const next = data?.nextCursor ?? null
  const clear = (): void => change({ q: undefined, cursor: undefined })
  const open = (place: DatasetName): void => {
    navigate({ to: datasetAddress(place) }).catch(() => undefined)
  }
  const make = (): void => setMaking(true)
  return (
    <>
      <PageBar title={text.title} actions={[{ text: text.make, icon: 'plus', rank: 'primary', onPick: make }]} />
      <FilterBar setCount={q === undefined ? 0 : 1} onClear={clear}>
        <SearchField
          label={text.search}
          value={q ?? ''}
          onChange={(value) => change({ q: value, cursor: undefined })}
        />
      </FilterBar>
      <DataTable
        label={text.title}
        columns={columns}
        rows={data?.items}
        keyOf={({ namespace: ns, name }) => `${ns}/${name}`}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={open}
        empty={q === undefined ? <NoDatasets onMake={make} /> : <NoMatch onClear={clear} />}
      />
      <Pager note={text.note} order="other" onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
      {isMaking ? (
        <Suspense>
          <WriteDatasetDialog namespace={namespace} onClose={() => setMaking(false)} onSaved={open} />
        </Suspense>
      ) : undefined}
    </>
  )
}

function NoDatasets({ onMake }: { readonly onMake: () => void }) {
  return (
    <EmptyState
      icon="data"
      title={text.empty}
      action={
        <Button kind="primary" icon="plus" onClick={onMake}>
          {text.make}
        </Button>
      }
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
