import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { toPlainLine } from '../shared/shown-dataset.ts'
import type { DatasetItems, DatasetName, ShownCase } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { CaseDock } from './case-dock.tsx'
import { LabelTags } from './label-tags.tsx'

const text = datasetsText.cases

const columns: readonly DataColumn<ShownCase>[] = [
  { title: text.input, isWide: true, cell: ({ input }) => <Line value={input} /> },
  {
    title: text.expected,
    rank: 2,
    isWide: true,
    cell: ({ expected }) => <Line value={expected} isDim />,
  },
  { title: text.labels, cell: ({ labels }) => <LabelTags labels={labels} /> },
  {
    title: text.tags,
    rank: 4,
    cell: ({ tags }) => (
      <span className="row">
        {tags.slice(0, 3).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
  },
  { title: text.changed, rank: 3, align: 'end', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
]

const kinds = (['live', 'archived'] as const).map((value) => ({ value, label: text.kinds[value] }))

/** The cases of the dataset or of one of its pins, and the one that is open. */
export function CasesTab({ place: { namespace, name } }: { readonly place: DatasetName }) {
  const [{ tag, show, pin, item }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const isArchived = show === 'archived' && pin === undefined
  const query = { namespace, tag, cursor, ...(isArchived ? { archived: 'true' } : {}), version: pin }
  const path = ['datasets', name, 'cases']
  const { data, error, refetch } = useQuery(apiQuery<DatasetItems<ShownCase>>(path, query))
  const next = data?.nextCursor ?? null
  const open = (id: string | undefined): void => change({ item: id }, id === undefined ? 'replace' : 'push')
  const clear = (): void => change({ tag: undefined, cursor: undefined })
  return (
    <Split
      dock={
        item === undefined ? undefined : (
          <CaseDock key={item} place={{ namespace, name }} id={item} onClose={() => open(undefined)} />
        )
      }
    >
      <FilterBar setCount={tag === undefined ? 0 : 1} onClear={clear}>
        <SearchField
          label={text.tagHint}
          value={tag ?? ''}
          onChange={(value) => change({ tag: value, cursor: undefined })}
        />
        {pin === undefined ? (
          <Segmented
            label={text.kind}
            value={isArchived ? 'archived' : 'live'}
            options={kinds}
            onChange={(kind) => change({ show: kind === 'live' ? undefined : kind, cursor: undefined })}
          />
        ) : (
          <>
            <Tag tone="info">{text.ofPin(Number(pin))}</Tag>
            <Button isSmall kind="quiet" icon="close" onClick={() => change({ pin: undefined, cursor: undefined })}>
              {text.leavePin}
            </Button>
          </>
        )}
      </FilterBar>
      <DataTable
        label={datasetsText.tabs.cases}
        columns={columns}
        rows={data?.items}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={({ id }) => open(id)}
        selected={item === undefined ? undefined : new Set([item])}
        empty={tag === undefined ? <NoCases isArchived={isArchived} /> : <NoMatch onClear={clear} />}
      />
      <Pager note={text.note} order="other" onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </Split>
  )
}

function Line({ value, isDim = false }: { readonly value: unknown; readonly isDim?: boolean }) {
  return (
    <span className={`clip ${isDim ? 'dim' : ''}`} dir="auto">
      {toPlainLine(value)}
    </span>
  )
}

function NoCases({ isArchived }: { readonly isArchived: boolean }) {
  return (
    <EmptyState icon="data" title={isArchived ? text.emptyArchived : text.empty}>
      {isArchived ? text.emptyArchivedDetail : text.emptyDetail}
    </EmptyState>
  )
}
