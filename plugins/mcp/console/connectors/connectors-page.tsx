import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import { useCapability } from '#ui/api/capabilities.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState, NoMatch } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { ConnectServer } from '../servers/connect-server.tsx'
import { ConnectorDock, OriginTag } from './connector-dock.tsx'
import { firstFields } from './first-fields.ts'
import { connectorsText as text } from './text.ts'

const { columns: titles } = text

const columns: readonly DataColumn<McpConnector>[] = [
  {
    title: titles.server,
    isWide: true,
    cell: ({ title, description }) => (
      <span className="clip" dir="auto">
        <b>{title}</b> <span className="dim">{description}</span>
      </span>
    ),
  },
  { title: titles.credential, rank: 2, cell: ({ auth }) => text.auth[auth] },
  { title: titles.tags, rank: 3, cell: ({ tags }) => <span className="clip dim">{tags.join(', ')}</span> },
  { title: titles.origin, rank: 2, cell: (connector) => <OriginTag connector={connector} /> },
]

interface ConnectorPage {
  readonly items: readonly McpConnector[]
  readonly nextCursor: string | null
}

/** MCP servers that can be connected, each with a button that does it. */
export function ConnectorsPage() {
  const [{ namespace, q, item }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [wanted, setWanted] = useState<McpConnector>()
  const isOffered = useCapability('mcp.register')
  const scope = namespace === undefined ? { scope: 'permitted' } : { namespace }
  const { data, error, refetch } = useQuery(apiQuery<ConnectorPage>(['mcp', 'connectors'], { ...scope, q, cursor }))
  const next = data?.nextCursor ?? null
  const clear = (): void => change({ q: undefined, cursor: undefined })
  return (
    <>
      <PageBar title={text.title} />
      <FilterBar setCount={q === undefined ? 0 : 1} onClear={clear}>
        <SearchField
          label={text.search}
          value={q ?? ''}
          onChange={(value) => change({ q: value, cursor: undefined })}
        />
      </FilterBar>
      <Split
        dock={
          item === undefined ? undefined : (
            <ConnectorDock
              connector={data?.items.find(({ id }) => id === item)}
              onConnect={isOffered ? setWanted : undefined}
              onClose={() => change({ item: undefined })}
            />
          )
        }
      >
        <DataTable
          label={text.title}
          columns={isOffered && item === undefined ? [...columns, connectColumn(setWanted)] : columns}
          rows={data?.items}
          keyOf={({ id }) => id}
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
          onOpen={({ id }) => change({ item: id }, item === undefined ? 'push' : 'replace')}
          selected={item === undefined ? undefined : new Set([item])}
          empty={q === undefined ? <NoConnectors /> : <NoMatch onClear={clear} />}
        />
        <Pager
          note={text.note}
          order="other"
          onNewer={onNewer}
          onOlder={next === null ? undefined : () => older(next)}
        />
      </Split>
      {wanted === undefined ? undefined : (
        <ConnectServer first={firstFields(wanted, namespace ?? 'default')} onClose={() => setWanted(undefined)} />
      )}
    </>
  )
}

function connectColumn(onConnect: (connector: McpConnector) => void): DataColumn<McpConnector> {
  return {
    title: text.connect,
    align: 'end',
    cell: (connector) => (
      <Button
        isSmall
        icon="plug"
        aria-label={`${text.connect} ${connector.title}`}
        onClick={() => onConnect(connector)}
      >
        {text.connect}
      </Button>
    ),
  }
}

function NoConnectors() {
  return (
    <EmptyState icon="world" title={text.empty}>
      {text.emptyDetail}
    </EmptyState>
  )
}
