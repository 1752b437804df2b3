import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { useCapability } from '../api/capabilities.ts'
import { apiQuery } from '../api/queries.ts'
import { usePaging } from '../contract/paging.ts'
import { useAddress } from '../contract/search.ts'
import { Button } from '../parts/control/button.tsx'
import { SearchField } from '../parts/control/search-field.tsx'
import { FilterBar } from '../parts/filter/filter-bar.tsx'
import { PageBar } from '../parts/page/page-bar.tsx'
import { EmptyState, NoMatch } from '../parts/state/empty-state.tsx'
import { DataTable } from '../parts/table/data-table.tsx'
import { Pager } from '../parts/table/pager.tsx'
import { kindText as text } from '../text/kinds.ts'
import { listColumns } from './kind-columns.tsx'
import { newPath, objectPath } from './kind-entry.ts'
import type { KindEntry, KindParts } from './kind-entry.ts'
import type { KindObject, KindPage } from './kind-object.ts'
import { useObjectInterval, useServedKind } from './use-kind.ts'

/** The list of a kind, as a page. */
export function listPageOf(entry: KindEntry, parts: KindParts): ComponentType {
  return function KindListPage() {
    return <KindList entry={entry} parts={parts} />
  }
}

interface KindListProps {
  readonly entry: KindEntry
  readonly parts?: KindParts
}

/** The objects of a kind. */
export function KindList({ entry, parts = {} }: KindListProps) {
  const { title, api, isClusterWide = false } = entry
  const [{ namespace, q }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const navigate = useNavigate()
  const { served } = useServedKind(entry)
  const scope = isClusterWide ? {} : namespace === undefined ? { scope: 'permitted' } : { namespace }
  const interval = useObjectInterval(entry)
  const list = useQuery({
    ...apiQuery<KindPage>(api, { ...scope, q, cursor }),
    refetchInterval: ({ state }) => interval(state.data?.items ?? []),
  })
  const { data, error, refetch } = list
  const next = data?.nextCursor ?? null
  const open = (href: string): void => {
    navigate({ href }).catch(() => undefined)
  }
  const create = (): void => open(newPath(entry) + (namespace === undefined ? '' : `?namespace=${namespace}`))
  const isOffered = useCapability(entry.createNeeds)
  const canCreate = isOffered && served?.verbs.includes('create') === true
  const clear = (): void => change({ q: undefined, cursor: undefined })
  const isEmpty = data?.items.length === 0 && q === undefined
  return (
    <>
      <PageBar
        title={title}
        actions={
          canCreate && !isEmpty
            ? [{ text: text.create(entry.noun), icon: 'plus', rank: newRankOf(parts), onPick: create }]
            : []
        }
      >
        {parts.ListBar === undefined ? undefined : <parts.ListBar />}
      </PageBar>
      <FilterBar setCount={q === undefined ? 0 : 1} onClear={clear}>
        <SearchField
          label={text.search}
          value={q ?? ''}
          onChange={(value) => change({ q: value, cursor: undefined })}
        />
      </FilterBar>
      <DataTable
        label={title}
        columns={listColumns(entry, served ?? undefined, parts)}
        rows={data?.items}
        keyOf={({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={({ metadata }: KindObject) => open(objectPath(entry, metadata))}
        empty={
          q === undefined ? (
            <NoObjects entry={entry} onCreate={canCreate ? create : undefined} />
          ) : (
            <NoMatch onClear={clear} />
          )
        }
      />
      <Pager note={text.note} order="other" onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}

function newRankOf({ isNewSecond = false }: KindParts): 'primary' | 'secondary' {
  return isNewSecond ? 'secondary' : 'primary'
}

function NoObjects({ entry, onCreate }: { readonly entry: KindEntry; readonly onCreate: (() => void) | undefined }) {
  const action =
    onCreate === undefined ? undefined : (
      <Button kind="primary" icon="plus" onClick={onCreate}>
        {text.create(entry.noun)}
      </Button>
    )
  return (
    <EmptyState icon={entry.icon} title={text.empty(entry.noun)} action={action}>
      {entry.about}
    </EmptyState>
  )
}
