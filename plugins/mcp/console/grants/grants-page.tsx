import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { McpGrant } from '#schemas/api/mcp-grants.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { GrantEnd, GrantScopes, GrantState } from './grant-facts.tsx'
import { serverPath } from './grant-paths.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { grantsText as text } from './text.ts'
import { useGrants } from './use-grants.ts'

const { columns: titles } = text

const columns: readonly DataColumn<McpGrant>[] = [
  {
    title: titles.server,
    isWide: true,
    cell: ({ namespace, server }) => (
      <span className="clip" dir="auto">
        <span className="faint">{namespace}/</span>
        <b>{server}</b>
      </span>
    ),
  },
  { title: titles.scopes, rank: 3, cell: (grant) => <GrantScopes grant={grant} /> },
  { title: titles.state, cell: (grant) => <GrantState grant={grant} /> },
  { title: titles.expires, rank: 2, cell: (grant) => <GrantEnd grant={grant} /> },
  { title: titles.created, rank: 3, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The consents of the caller: which servers act as this person, and an end to each. */
export function GrantsPage() {
  const { data, error, refetch } = useGrants()
  const [revoked, setRevoked] = useState<McpGrant>()
  const navigate = useNavigate()
  const shown: readonly DataColumn<McpGrant>[] = [
    ...columns,
    {
      title: text.revoke,
      cell: (grant) => (
        <Button isSmall kind="quiet" icon="bin" onClick={() => setRevoked(grant)}>
          {text.revoke}
        </Button>
      ),
    },
  ]
  return (
    <>
      <PageBar title={text.title} />
      <DataTable
        label={text.title}
        columns={shown}
        rows={data?.items}
        keyOf={({ namespace, server, createdAt }) => `${namespace}/${server}/${createdAt}`}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        onOpen={({ namespace, server }) => {
          navigate({ href: serverPath(namespace, server) }).catch(() => undefined)
        }}
        empty={<NoGrants />}
      />
      {data === undefined || data.items.length === 0 ? undefined : <p className="faint">{text.note}</p>}
      {revoked === undefined ? undefined : <RevokeDialog grant={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  )
}

function NoGrants() {
  return (
    <EmptyState icon="key" title={text.empty} action={<ButtonLink to="/mcpservers">{text.servers}</ButtonLink>}>
      {text.emptyDetail}
    </EmptyState>
  )
}
