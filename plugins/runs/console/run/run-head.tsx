import { Link } from '@tanstack/react-router'
import { toCount, toPercent } from '#ui/parts/format/counts.ts'
import { toDuration } from '#ui/parts/format/duration.ts'
import { FactLine, StateLine } from '#ui/parts/run/fact-line.tsx'
import type { NamedFact } from '#ui/parts/run/fact-line.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { TraceSpan } from '#ui/parts/trace/flat-tree.ts'
import { Actor } from '#ui/parts/value/actor.tsx'
import { useNow } from '#ui/parts/value/clock.ts'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Count, Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { consentPath } from '../send/consent-path.ts'
import { tokensOf } from '../list/run-numbers.ts'
import styles from './run-page.module.css'
import { elapsedOf } from './run-state.ts'
import type { RunOfPage } from './run-state.ts'
import { runText as text } from './text.ts'

interface RunHeadProps {
  readonly run: RunOfPage
  /** The current step of the agent, in its own words. */
  readonly progress: string | undefined
  /** Selects the failure; absent while none is known. */
  readonly onFailure?: (() => void) | undefined
  readonly onDecide: () => void
}

/** A message may have a megabyte; the inspector has all of it. */
const MOST_WORDS = 400

/** The state of a run, why it is in it, and the button that helps. */
export function RunHead({ run, progress, onFailure, onDecide }: RunHeadProps) {
  const { state, failReason, error, pauseReason, interrupts, waitReason } = run
  const isFailed = error !== null
  // The dialog has the ways to several consents, and the decisions beside them.
  const [only] = interrupts.length === 1 ? interrupts : []
  const consent = only && consentPath(run.id, only)
  return (
    <StateLine badge={<StatusBadge state={state} />}>
      {isFailed ? (
        <>
          <b>{failReason ?? error.code}</b> {(error.message ?? '').slice(0, MOST_WORDS)}{' '}
        </>
      ) : undefined}
      {isFailed && onFailure !== undefined ? <LineButton words={text.goToStep} onPick={onFailure} /> : undefined}
      {state === 'paused' ? (
        <>
          <b>{interrupts[0]?.tool ?? run.agent?.name ?? ''}</b> {text.waits[pauseReason ?? ''] ?? pauseReason}{' '}
          {consent === undefined ? <LineButton words={text.decide} onPick={onDecide} /> : <ConsentLink to={consent} />}
        </>
      ) : undefined}
      {state === 'queued' ? waitReason?.message : undefined}
      {state === 'running' ? progress : undefined}
    </StateLine>
  )
}

function LineButton({ words, onPick }: { readonly words: string; readonly onPick: () => void }) {
  return (
    <button type="button" className={`link ${styles['lineButton']}`} onClick={onPick}>
      {words}
    </button>
  )
}

// Only the person whose rights the run has can grant access: no decision of another one helps.
function ConsentLink({ to }: { readonly to: string }) {
  const [path = '', search = ''] = to.split('?')
  return (
    <Link className="link" to={path} search={Object.fromEntries(new URLSearchParams(search)) as never}>
      {text.consent}
    </Link>
  )
}

interface RunFactsProps {
  readonly run: RunOfPage
  readonly spans: readonly TraceSpan[] | undefined
  readonly spanCount: number | undefined
}

/** Facts of a run; what it is related to is a link. */
export function RunFactLine({ run, spans, spanCount }: RunFactsProps) {
  const now = useNow()
  const { agent, parentRunId, childRuns, labels } = run
  const length = run.durationMs ?? (elapsedOf(run, now) || null)
  const cost = run.treeCost ?? run.cost
  const retryOf = labels['mesh.dev/retry-of']
  const facts: readonly NamedFact[] = [
    [text.facts.duration, <Duration ms={length} />],
    [text.facts.model, spans === undefined ? undefined : <ModelTime spans={spans} length={length} />],
    [text.facts.cost, <Money amount={cost?.amount} currency={cost?.currency ?? ''} />],
    [text.facts.tokens, <Count value={tokensOf(run)} />],
    [text.facts.spans, spanCount === undefined ? undefined : toCount(spanCount)],
    [text.facts.subject, <Actor name={run.subject} />],
    [text.facts.revision, agent?.revision == null ? undefined : `r${agent.revision}`],
    [text.facts.started, <Time at={run.createdAt} />],
    [text.facts.run, <IdCopy id={run.id} />],
    [text.facts.startedBy, parentRunId === null ? undefined : <RunLink id={parentRunId} />],
    [text.facts.retryOf, retryOf === undefined ? undefined : <RunLink id={retryOf} />],
    [text.facts.children, childRuns === 0 ? undefined : <ChildRuns id={run.id} count={childRuns} />],
  ]
  return <FactLine facts={facts} />
}

function RunLink({ id }: { readonly id: string }) {
  return (
    <Link className="link mono" to={`/runs/${encodeURIComponent(id)}`}>
      {id.slice(0, 13)}
    </Link>
  )
}

function ChildRuns({ id, count }: { readonly id: string; readonly count: number }) {
  return (
    <Link className="link" to="/runs" search={{ parent: id, from: '30d' } as never}>
      {text.childRuns(count)}
    </Link>
  )
}

/** How long models took, and how much of the run that is. */
function ModelTime({ spans, length }: { readonly spans: readonly TraceSpan[]; readonly length: number | null }) {
  const models = spans.filter(({ kind }) => kind === 'model')
  const ms = models.reduce((sum, { duration = 0 }) => sum + duration, 0)
  if (models.length === 0) return toDuration(undefined)
  return (
    <>
      {toDuration(ms)}{' '}
      {length === null || length === 0 || ms > length ? undefined : (
        <span className="faint">{toPercent(ms / length)}</span>
      )}
    </>
  )
}
