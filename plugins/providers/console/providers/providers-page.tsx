import { useState } from 'react'
import { usePaging } from '#ui/contract/paging.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { Split } from '#ui/parts/page/split.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { providerColumns } from './provider-columns.tsx'
import { ProviderDock } from './provider-dock.tsx'
import { providersText as text } from './text.ts'
import { placeOf, useProviders } from './use-providers.ts'

/** Whether models answer: connected providers with their health, their keys and what calls them. */
export function ProvidersPage() {
  const [{ namespace, item }, change] = useAddress()
  const { cursor, onNewer, older } = usePaging()
  const [isConnecting, setConnecting] = useState(false)
  const { data, error, refetch } = useProviders(namespace, cursor)
  const next = data?.nextCursor ?? null
  const open = (place: string): void => change({ item: place }, item === undefined ? 'push' : 'replace')
  const connect = (): void => setConnecting(true)
  const isEmpty = data?.items.length === 0
  return (
    <>
      <PageBar
        title={text.title}
        actions={isEmpty ? [] : [{ text: text.connect, icon: 'plug', rank: 'primary', onPick: connect }]}
      />
      <Split
        dock={
          item === undefined ? undefined : (
            <ProviderDock
              key={item}
              place={item}
              provider={data?.items.find((one) => placeOf(one) === item)}
              isRead={data !== undefined}
              onClose={() => change({ item: undefined })}
            />
          )
        }
      >
        <DataTable
          label={text.title}
          columns={providerColumns}
          rows={data?.items}
          keyOf={placeOf}
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
          onOpen={(provider) => open(placeOf(provider))}
          selected={item === undefined ? undefined : new Set([item])}
          empty={<NoProviders onConnect={connect} />}
        />
        <Pager
          note={text.note}
          order="other"
          onNewer={onNewer}
          onOlder={next === null ? undefined : () => older(next)}
        />
      </Split>
      {isConnecting ? (
        <ConnectDialog
          namespace={namespace}
          onClose={() => setConnecting(false)}
          onConnected={(made) => {
            setConnecting(false)
            open(placeOf(made))
          }}
        />
      ) : undefined}
    </>
  )
}

function NoProviders({ onConnect }: { readonly onConnect: () => void }) {
  return (
    <EmptyState
      icon="plug"
      title={text.empty}
      action={
        <Button kind="primary" icon="plug" onClick={onConnect}>
          {text.connect}
        </Button>
      }
    >
      {text.emptyDetail}
    </EmptyState>
  )
}
