import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { TraceDetail, TraceSummary } from '#schemas/api/traces.ts'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { SentSpans } from './sent-spans.tsx'
import { traceText as text } from './text.ts'
import type { SentSpan } from './to-node.ts'
import styles from './trace-page.module.css'

/** A trace with its spans. */
export type ShownDetail = Omit<Static<typeof TraceDetail>, 'roots'> & { readonly roots: readonly SentSpan[] }

const crumbs = [{ label: text.traces, to: '/traces' }]

/** Where an id belongs: its run, else the spans of its trace. */
export function TracePage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string }
  const summary = useQuery(apiQuery<Static<typeof TraceSummary>>(['traces', id]))
  const isAlone = summary.data !== undefined && summary.data.run === null
  const detail = useQuery({ ...apiQuery<ShownDetail>(['traces', id, 'detail']), enabled: isAlone })
  const run = summary.data?.run ?? undefined
  if (run !== undefined) return <Navigate to={`/runs/${encodeURIComponent(run.id)}`} replace />
  const error = summary.error ?? detail.error
  const retry = (): void => {
    ;(summary.error === null ? detail : summary).refetch().catch(() => undefined)
  }
  return (
    <>
      <PageBar title={text.title} crumbs={crumbs} />
      {detail.data === undefined ? <NoTrace error={error} onRetry={retry} /> : <Spans detail={detail.data} />}
    </>
  )
}

function Spans({ detail }: { readonly detail: ShownDetail }) {
  return (
    <>
      <div className={styles['notes']}>
        <Notice tone="info">{text.withoutRun}</Notice>
        {detail.truncated ? <Notice tone="warn">{text.truncated}</Notice> : undefined}
      </div>
      <SentSpans detail={detail} />
    </>
  )
}

function NoTrace({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => void }) {
  if (error === null) return undefined
  // An id of another form is as unknown as one that was never used.
  const isUnknown = error instanceof ApiProblem && [400, 404].includes(error.facts.status)
  if (!isUnknown) return <ProblemState error={error} onRetry={onRetry} />
  return (
    <EmptyState
      icon="search"
      title={text.missing}
      action={
        <Link to="/traces" className="link">
          {text.showTraces}
        </Link>
      }
    >
      {text.missingDetail}
    </EmptyState>
  )
}
