import { useQuery } from '@tanstack/react-query'
import type { CatalogTool } from '#schemas/api/tools.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Dock, DockBody, DockFacts, Split } from '#ui/parts/page/split.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { ToolFacts, HintTags } from '../shared/tool-facts.tsx'
import { filterTools, keyOfTool, serversOf } from './catalog-filter.ts'
import { toolsText as text } from './text.ts'
import { ToolViews } from './tool-views.tsx'

const { columns: titles } = text

const columns: readonly DataColumn<CatalogTool>[] = [
  {
    title: titles.tool,
    isWide: true,
    cell: ({ name, title, description }) => (
      <span className="clip" dir="auto">
        <b>{name}</b> <span className="dim">{title ?? description ?? ''}</span>
      </span>
    ),
  },
  {
    title: titles.server,
    rank: 2,
    cell: ({ server }) => (
      <span dir="auto">
        <span className="faint">{server.namespace}/</span>
        {server.name}
      </span>
    ),
  },
  { title: titles.hints, rank: 3, cell: (tool) => <HintTags tool={tool} /> },
  { title: titles.state, cell: ({ server }) => <UsableState isReady={server.ready} /> },
]

interface ToolPage {
  readonly items: readonly CatalogTool[]
  readonly nextCursor: string | null
}

/** What agents may call: the accepted tools of all servers. */
export function ToolsPage() {
  const [{ namespace, q, server, item }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery(apiQuery<ToolPage>(['tools'], { ...scope, cursor }))
  const next = data?.nextCursor ?? null
  const clear = (): void => change({ q: undefined, server: undefined })
  const isFiltered = q !== undefined || server !== undefined
  return (
    <>
      <PageBar title={text.title}>
        <ToolViews shown="tools" />
      </PageBar>
      <FilterBar setCount={[q, server].filter((one) => one !== undefined).length} onClear={clear}>
        <SearchField label={text.search} value={q ?? ''} onChange={(value) => change({ q: value })} />
        <Facet
          label={text.server}
          options={serversOf(data?.items ?? []).map((value) => ({ value, label: value }))}
          value={server}
          onChange={(value) => change({ server: value })}
        />
      </FilterBar>
      <Split
        dock={
          item === undefined ? undefined : (
            <ToolDock
              name={item}
              tool={data?.items.find((one) => keyOfTool(one) === item)}
              onClose={() => change({ item: undefined })}
            />
          )
        }
      >
        <DataTable
          label={text.title}
          columns={columns}
          rows={data === undefined ? undefined : filterTools(data.items, { q, server })}
          keyOf={keyOfTool}
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
          onOpen={(tool) => change({ item: keyOfTool(tool) }, item === undefined ? 'push' : 'replace')}
          selected={item === undefined ? undefined : new Set([item])}
          empty={isFiltered ? <NoMatch onClear={clear} /> : <NoTools />}
        />
        <Pager
          note={text.note}
          order="other"
          onNewer={onNewer}
          onOlder={next === null ? undefined : () => older(next)}
        />
      </Split>
    </>
  )
}

function UsableState({ isReady }: { readonly isReady: boolean }) {
  return (
    <StatusBadge state={isReady ? 'ready' : 'notready'} isPlain>
      {isReady ? text.usable : text.notUsable}
    </StatusBadge>
  )
}

interface ToolDockProps {
  readonly name: string
  readonly tool: CatalogTool | undefined
  readonly onClose: () => void
}

function ToolDock({ name, tool, onClose }: ToolDockProps) {
  if (tool === undefined)
    return (
      <Dock title={name} onClose={onClose}>
        <DockBody>
          <p className="dim">{text.gone}</p>
        </DockBody>
      </Dock>
    )
  const { namespace, name: server, ready } = tool.server
  const path = [namespace, server].map(encodeURIComponent).join('/')
  return (
    <Dock title={tool.name} lead={<UsableState isReady={ready} />} onClose={onClose}>
      <DockFacts
        facts={[
          [
            titles.server,
            <ButtonLink key="server" isSmall kind="quiet" icon="server" to={`/mcpservers/${path}`}>
              {server}
            </ButtonLink>,
          ],
        ]}
      />
      <DockBody>
        <ToolFacts tool={tool} />
      </DockBody>
    </Dock>
  )
}

function NoTools() {
  return (
    <EmptyState
      icon="tool"
      title={text.empty}
      action={
        <ButtonLink kind="primary" icon="server" to="/mcpservers">
          {text.servers}
        </ButtonLink>
      }
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
