import { lazy, Suspense, useState } from 'react'
import { useCapability } from '#ui/api/capabilities.ts'
import { useAddress } from '#ui/contract/search.ts'
import { toCell, valueAt } from '#ui/kinds/kind-object.ts'
import type { KindParts } from '#ui/kinds/kind-entry.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { GrantCard } from '../grants/grant-card.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { DriftCard } from './drift-card.tsx'
import { ManifestCard } from './manifest-card.tsx'
import { ServerUsersCard } from './server-references.tsx'
import { toServerState } from '../shared/server-state.ts'
import { serversText as text } from './text.ts'

// Few who look at servers connect one.
const ConnectServer = lazy(async () => ({ default: (await import('./connect-server.tsx')).ConnectServer }))

const blank = { name: '', url: '', kind: 'none', header: '', clientId: '' } as const

function ServersBar() {
  const [{ namespace = 'default' }] = useAddress()
  const [isConnecting, setConnecting] = useState(false)
  // A setting of the installation closes the routes that register servers.
  const isOffered = useCapability('mcp.register')
  if (!isOffered) return undefined
  return (
    <>
      <Button kind="primary" icon="plug" onClick={() => setConnecting(true)}>
        {text.connect}
      </Button>
      {isConnecting ? (
        <Suspense>
          <ConnectServer first={{ ...blank, namespace }} onClose={() => setConnecting(false)} />
        </Suspense>
      ) : undefined}
    </>
  )
}

function WaitingCell({ object }: { readonly object: KindObject }) {
  const { changes } = toServerState(object)
  if (changes.length === 0) return '—'
  return (
    <Tag tone="warn" icon="alert">
      {text.waits(changes.length)}
    </Tag>
  )
}

function ServerOverview({ object }: { readonly object: KindObject }) {
  return (
    <>
      <DriftCard object={object} />
      <GrantCard object={object} />
      <ConnectionCard object={object} />
      <ManifestCard object={object} />
      <ServerUsersCard object={object} />
    </>
  )
}

/** What the pages of MCP servers have besides those of every kind. */
export const mcpServerParts: KindParts = {
  columns: [
    {
      title: text.columns.address,
      isWide: true,
      rank: 2,
      cell: ({ spec }) => <span dir="auto">{toCell(valueAt(spec, 'url'))}</span>,
    },
    {
      title: text.columns.tools,
      rank: 3,
      align: 'end',
      cell: (object) => <Count value={toServerState(object).tools.length} />,
    },
    { title: text.columns.waiting, rank: 2, cell: (object) => <WaitingCell object={object} /> },
  ],
  ListBar: ServersBar,
  isNewSecond: true,
  Overview: ServerOverview,
}
