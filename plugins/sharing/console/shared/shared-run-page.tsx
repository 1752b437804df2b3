import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { FactLine, StateLine } from '#ui/parts/run/fact-line.tsx'
import { ErrorPanel } from '#ui/parts/state/error-panel.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { Count, Duration } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './shared-run-page.module.css'
import { SharedTrace } from './shared-trace.tsx'
import type { RunOfLink } from './shared-trace.tsx'
import { sharedText as text } from './text.ts'

/** A shared run, for people without an account. An unknown link, one that has ended and one that was revoked look the same. */
export function SharedRunPage() {
  const { token = '' } = useParams({ strict: false }) as { readonly token?: string }
  // A read counts as a view: it is not repeated.
  const { data, error, refetch } = useQuery({
    ...apiQuery<RunOfLink>(['shared', 'runs', token]),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <>
      <meta name="robots" content="noindex" />
      {data === undefined ? undefined : <SharedDetail shared={data} />}
      {data !== undefined || error === null ? undefined : (
        <NoShare
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      )}
    </>
  )
}

function NoShare({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const isMissing = error instanceof ApiProblem && error.facts.status === 404
  if (!isMissing) return <ErrorPanel error={error} onRetry={onRetry} />
  return (
    <>
      <title>{text.missingTitle}</title>
      <h1 className="unseen">{text.missingTitle}</h1>
      <PageState icon="share" title={text.missingTitle}>
        {text.missing}
      </PageState>
    </>
  )
}

function SharedDetail({ shared }: { readonly shared: RunOfLink }) {
  const { run, sharedAt, expiresAt, redaction, truncated } = shared
  const { agent, state, failReason, error, usage, startedAt, finishedAt } = run
  const name = agent?.name ?? text.run
  const length = useMemo(
    () => (startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt)),
    [startedAt, finishedAt],
  )
  return (
    <>
      <title>{text.title(name)}</title>
      <div className={styles['head']}>
        <Glyph name={name} size={20} />
        <h1 className="clip" dir="auto">
          {name}
        </h1>
      </div>
      <StateLine badge={<StatusBadge state={state} />}>
        {error === null ? undefined : (
          <>
            <b>{failReason ?? error.code}</b> {error.message}
          </>
        )}
      </StateLine>
      <FactLine
        facts={[
          [text.duration, <Duration ms={length} />],
          [text.tokens, <Count value={usage.inputTokens + usage.outputTokens} />],
          [text.revision, agent?.revision == null ? undefined : `r${agent.revision}`],
          [text.started, <Time at={startedAt} />],
          [text.shared, <Time at={sharedAt} />],
          [text.ends, <Time at={expiresAt} />],
        ]}
      />
      <div className={styles['notes']}>
        <Notice tone="mute">{text.reasons[redaction.reason ?? ''] ?? text.redacted}</Notice>
        {truncated ? <Notice tone="warn">{text.truncated}</Notice> : undefined}
      </div>
      <SharedTrace shared={shared} />
    </>
  )
}
