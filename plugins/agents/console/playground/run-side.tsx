import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { toCount } from '#ui/parts/format/counts.ts'
import { toDuration } from '#ui/parts/format/duration.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { flattenTree } from '#ui/parts/trace/flat-tree.ts'
import type { TreeSpan } from '#ui/parts/trace/flat-tree.ts'
import { Waterfall } from '#ui/parts/trace/waterfall.tsx'
import { toTreeSpan } from './live-tree.ts'
import type { PlayedRun } from './played-run.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'

const text = playgroundText.side

type RunDetail = Static<typeof Run>

/** Costs are counted some time after the end. */
const COUNTING_MS = 1500
const MOST_ASKED = 12

/** The run at the side of the conversation: its figures, and its spans, which grow while it goes on. */
export function RunSide({ run }: { readonly run: PlayedRun | undefined }) {
  return (
    <aside className={styles['side']} aria-label={text.title}>
      {run === undefined ? <p className={styles['none']}>{text.none}</p> : <ShownRun key={run.runId} run={run} />}
    </aside>
  )
}

function ShownRun({ run }: { readonly run: PlayedRun }) {
  const { runId, state, isEnded } = run
  const [selectedId, select] = useState<string>()
  const { data: detail } = useQuery({
    ...apiQuery<RunDetail>(['runs', runId]),
    enabled: isEnded,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data !== undefined && data.pendingCalls > 0 && dataUpdateCount < MOST_ASKED ? COUNTING_MS : false,
  })
  const { data: kept } = useQuery({
    ...apiQuery<{ readonly root: TreeSpan }>(['runs', runId, 'tree']),
    enabled: isEnded,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const root = kept?.root ?? toTreeSpan(run.tree)
  const spans = useMemo(() => (root === undefined ? [] : flattenTree(root)), [root])
  const elapsed = useElapsed(root?.startedAt, !isEnded)
  const place = Math.max(
    0,
    spans.findIndex(({ id }) => id === selectedId),
  )
  return (
    <>
      <div className={styles['head']}>
        <h2>{text.title}</h2>
        <StatusBadge state={state} />
        <span className="grow" />
        <Link to={`/runs/${runId}`} search={{ span: selectedId } as never} className={`dim ${styles['open']}`}>
          {text.open}
          <Icon name="forward" size={14} />
        </Link>
      </div>
      <RunFigures detail={detail} elapsed={root === undefined ? undefined : elapsed} />
      {spans.length === 0 ? undefined : (
        <Waterfall
          // Places of spans differ between the events and what is kept at the end.
          key={kept === undefined ? 'live' : 'kept'}
          spans={spans}
          selected={place}
          onSelect={(picked) => select(spans[picked]?.id)}
          elapsed={isEnded ? 0 : elapsed}
        />
      )}
    </>
  )
}

function RunFigures({
  detail,
  elapsed,
}: {
  readonly detail: RunDetail | undefined
  readonly elapsed: number | undefined
}) {
  const { durationMs, firstTokenMs, usage, cost, pendingCalls = 0, unpricedCalls = 0 } = detail ?? {}
  const tokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens
  const facts: readonly (readonly [string, string])[] = [
    [text.duration, toDuration(durationMs ?? elapsed)],
    [text.firstToken, toDuration(firstTokenMs)],
    [text.tokens, toCount(tokens)],
    [text.cost, toMoney(cost?.amount, cost?.currency ?? '')],
  ]
  return (
    <>
      <dl className={`num ${styles['figures']}`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {pendingCalls > 0 ? <p className={styles['note']}>{text.pending}</p> : undefined}
      {unpricedCalls > 0 ? <p className={styles['note']}>{text.unpriced(unpricedCalls)}</p> : undefined}
    </>
  )
}

const TICK_MS = 250

/** Milliseconds since a time, as long as it counts. */
function useElapsed(from: string | undefined, isCounting: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isCounting || from === undefined) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isCounting, from])
  return Math.max(0, now - Date.parse(from ?? '')) || 0
}
