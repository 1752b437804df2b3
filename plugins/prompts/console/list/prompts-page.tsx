import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
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
import { Actor } from '#ui/parts/value/actor.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { DEFAULT_LABEL, plainText, promptAddress, promptScope } from '../shared/shown-prompt.ts'
import { promptsText as text } from '../shared/text.ts'

const WritePromptDialog = lazy(async () => ({
  default: (await import('../write/write-prompt-dialog.tsx')).WritePromptDialog,
}))

const { columns: titles } = text
const columns: readonly DataColumn<ListedPrompt>[] = [
  {
    title: titles.name,
    cell: ({ name }) => (
      <b className="clip" dir="auto">
        {name}
      </b>
    ),
  },
  { title: titles.namespace, rank: 4, cell: ({ namespace }) => namespace },
  { title: titles.latest, align: 'end', cell: ({ version }) => <span className="num">{text.version(version)}</span> },
  { title: titles.labels, cell: ({ labels }) => <LabelTags labels={labels} /> },
  {
    title: titles.text,
    rank: 2,
    isWide: true,
    cell: (prompt) => (
      <span className="clip dim" dir="auto">
        {plainText(prompt)}
      </span>
    ),
  },
  { title: titles.by, rank: 3, cell: ({ updatedBy }) => <Actor name={updatedBy} /> },
  { title: titles.changed, rank: 2, align: 'end', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
]

interface PromptPageOf {
  readonly items: readonly ListedPrompt[]
  readonly nextCursor: string | null
}

/** Prompts with their latest version and where their labels point. */
export function PromptsPage() {
  const [{ namespace, q }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [isWriting, setWriting] = useState(false)
  const navigate = useNavigate()
  const query = { ...promptScope(namespace), search: q, cursor }
  const { data, error, refetch } = useQuery(apiQuery<PromptPageOf>(['promptversions'], query))
  const next = data?.nextCursor ?? null
  const clear = (): void => change({ q: undefined, cursor: undefined })
  const open = (prompt: { readonly namespace: string; readonly name: string }): void => {
    navigate({ to: promptAddress(prompt) }).catch(() => undefined)
  }
  const write = (): void => setWriting(true)
  return (
    <>
      <PageBar title={text.title} actions={[{ text: text.make, icon: 'plus', rank: 'primary', onPick: write }]} />
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
        empty={q === undefined ? <NoPrompts onWrite={write} /> : <NoMatch onClear={clear} />}
      />
      <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
      {isWriting ? (
        <Suspense>
          <WritePromptDialog namespace={namespace} onClose={() => setWriting(false)} onSaved={open} />
        </Suspense>
      ) : undefined}
    </>
  )
}

function LabelTags({ labels }: Pick<ListedPrompt, 'labels'>) {
  return (
    <span className="row">
      {Object.entries(labels).map(([label, version]) => (
        <Tag key={label} tone={label === DEFAULT_LABEL ? 'ok' : 'info'}>
          {text.labelled(label, version)}
        </Tag>
      ))}
    </span>
  )
}

function NoPrompts({ onWrite }: { readonly onWrite: () => void }) {
  return (
    <EmptyState
      icon="message"
      title={text.empty}
      action={
        <Button kind="primary" icon="plus" onClick={onWrite}>
          {text.make}
        </Button>
      }
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
