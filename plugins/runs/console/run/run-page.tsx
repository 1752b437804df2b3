import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { useAddress } from '#ui/contract/search.ts'
import { useObjectDialogs } from '#ui/kinds/object-tabs/object-tabs.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { LiveBadge } from '#ui/parts/status/live-badge.tsx'
import { selectAtFirst } from '#ui/parts/trace/span-keys.ts'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { RunHead, RunFactLine } from './run-head.tsx'
import { runText as text } from './text.ts'
import { useRunActions } from './use-run-actions.tsx'
import { useRun } from './use-run.ts'

// Asked for with the page itself, so that it is there when the tree is.
const loadTrace = import('./run-trace.tsx')
const RunTrace = lazy(async () => ({ default: (await loadTrace).RunTrace }))
const ShareDialog = lazy(async () => ({ default: (await import('./share-dialog.tsx')).ShareDialog }))
const RetryDialog = lazy(async () => ({ default: (await import('../again/retry-dialog.tsx')).RetryDialog }))
const DecideDialog = lazy(async () => ({ default: (await import('./decide-dialog.tsx')).DecideDialog }))

const crumbs = [{ label: text.runs, to: '/runs' }]

/** A run: why it failed, why it was slow, why it cost so much. It opens on the failing step. */
export function OneRunPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  // Another run is another page: nothing of this one is kept.
  return <OneRun key={id} id={id} />
}

function OneRun({ id }: { readonly id: string }) {
  const [{ view, span }, change] = useAddress()
  const [dialog, setDialog] = useState<string>()
  const [hasEvents, setEvents] = useState(false)
  const data = useRun(id, { spanId: span, hasEvents: hasEvents || view === 'events' })
  const { run, tree, flat, isOpen, stream } = data
  const added = useObjectDialogs('run')
  const actions = useRunActions(run.data, { dialogs: added, onOpen: setDialog })
  const Added = added.find((one) => one.id === dialog)?.Dialog
  const close = (): void => setDialog(undefined)
  if (run.data === undefined) return <NoRun error={run.error} onRetry={() => retry(run)} />
  const failure = flat === undefined ? 0 : selectAtFirst(flat.spans)
  const goToFailure = (): void => change({ view: undefined, span: flat?.spans[failure]?.id })
  const name = run.data.agent?.name ?? run.data.executor ?? text.unnamed
  const isConnected = stream.connection === 'live' || stream.connection === 'reconnecting'
  return (
    <>
      <PageBar title={name} crumbs={crumbs} lead={<Glyph name={name} size={18} />} actions={actions}>
        {isOpen ? (
          <LiveBadge state={isConnected ? { kind: stream.connection as 'live' } : { kind: 'polling', seconds: 2 }} />
        ) : undefined}
      </PageBar>
      <RunHead
        run={run.data}
        progress={stream.log.progress}
        onFailure={failure === 0 ? undefined : goToFailure}
        onDecide={() => setDialog('decide')}
      />
      <RunFactLine run={run.data} spans={flat?.spans} spanCount={tree.data?.spanCount} />
      <Suspense>
        <RunTrace
          run={run.data}
          data={data}
          view={view}
          spanId={span}
          onChange={change}
          onEvents={() => setEvents(true)}
        />
      </Suspense>
      <Suspense>
        {dialog === 'share' ? <ShareDialog runId={id} onClose={close} /> : undefined}
        {dialog === 'retry' ? <RetryDialog run={run.data} onClose={close} /> : undefined}
        {Added === undefined ? undefined : (
          <Added object={{ id, namespace: run.data.agent?.namespace }} onClose={close} />
        )}
        {dialog === 'decide' ? <DecideDialog run={run.data} onClose={close} /> : undefined}
      </Suspense>
    </>
  )
}

function retry(query: { readonly refetch: () => Promise<unknown> }): void {
  query.refetch().catch(() => undefined)
}

function NoRun({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => void }) {
  const isUnknown = error instanceof ApiProblem && error.facts.status === 404
  return (
    <>
      <PageBar title={text.unnamed} crumbs={crumbs} />
      {isUnknown ? (
        <EmptyState
          icon="search"
          title={text.missing}
          action={
            <Link to="/runs" className="link">
              {text.missingAction}
            </Link>
          }
        >
          {text.missingDetail}
        </EmptyState>
      ) : undefined}
      {error === null || isUnknown ? undefined : <ProblemState error={error} onRetry={onRetry} />}
    </>
  )
}
