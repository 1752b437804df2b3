import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { apiQuery } from '#ui/api/queries.ts'
import { usePaging } from '#ui/contract/paging.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Pager } from '#ui/parts/table/pager.tsx'
import { useBulk } from '#ui/parts/table/use-bulk.ts'
import { AgentName } from '#ui/parts/value/agent-name.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { RevokeSelected } from './revoke-selected.tsx'
import { endShare } from './end-share.ts'
import type { ShownShare } from './end-share.ts'
import { sharesText as text } from './text.ts'

interface SharePage {
  readonly items: readonly ShownShare[]
  readonly nextCursor: string | null
}

const { columns: titles } = text

function columnsOf(revoke: (share: ShownShare) => void, busy: string | undefined): readonly DataColumn<ShownShare>[] {
  return [
    { title: titles.run, cell: (share) => <RunCell share={share} /> },
    { title: titles.namespace, rank: 3, cell: ({ namespace }) => <span className="dim">{namespace}</span> },
    {
      title: titles.shows,
      rank: 2,
      isWide: true,
      cell: ({ redaction: { content } }) => <span className="dim">{text[content]}</span>,
    },
    { title: titles.views, rank: 2, align: 'end', cell: ({ views, maxViews }) => text.of(views, maxViews) },
    { title: titles.created, rank: 3, align: 'end', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: titles.ends, align: 'end', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      title: titles.action,
      align: 'end',
      cell: (share) => (
        <Button
          isSmall
          kind="danger"
          aria-label={text.revokeOf(share.agent ?? share.runId)}
          isBusy={busy === share.id}
          onClick={() => revoke(share)}
        >
          {text.revoke}
        </Button>
      ),
    },
  ]
}

/** What the caller gave away: its shares, and the end of each. */
export function SharesPage() {
  const { cursor, onNewer, older } = usePaging()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(apiQuery<SharePage>(['my', 'shares'], { cursor }))
  const revoke = useMutation({
    mutationFn: endShare,
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.revoked })
      await queries.invalidateQueries({ queryKey: ['my', 'shares'] })
    },
    onError: ({ message }) => showToast({ kind: 'failed', message }),
  })
  const bulk = useBulk(cursor)
  const next = data?.nextCursor ?? null
  const busy = revoke.isPending ? revoke.variables.id : undefined
  return (
    <>
      <PageBar title={text.title} />
      <DataTable
        label={text.title}
        columns={columnsOf((share) => revoke.mutate(share), busy)}
        rows={data?.items}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
        bulk={bulk}
        onOpen={({ runId }) => {
          navigate({ to: `/runs/${encodeURIComponent(runId)}` }).catch(() => undefined)
        }}
        empty={
          <EmptyState icon="share" title={text.empty}>
            {text.emptyDetail}
          </EmptyState>
        }
      />
      <RevokeSelected bulk={bulk} shares={data?.items ?? []} />
      <Pager note={text.note} onNewer={onNewer} onOlder={next === null ? undefined : () => older(next)} />
    </>
  )
}

function RunCell({ share: { runId, agent } }: { readonly share: ShownShare }) {
  return (
    <Link to={`/runs/${encodeURIComponent(runId)}`} tabIndex={-1}>
      <AgentName name={agent ?? runId} />
    </Link>
  )
}
