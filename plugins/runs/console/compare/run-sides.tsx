import { Link } from '@tanstack/react-router'
import { FactLine, StateLine } from '#ui/parts/run/fact-line.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Count, Duration, Money } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { tokensOf } from '../list/run-numbers.ts'
import type { ComparedRuns } from './compare-columns.tsx'
import styles from './compare-page.module.css'
import { compareText as text } from './text.ts'

/** Both runs at a glance. */
export function RunSides({ a, b }: Pick<ComparedRuns, 'a' | 'b'>) {
  return (
    <div className={styles['sides']}>
      <RunSide run={a} title={text.columns.a} />
      <RunSide run={b} title={text.columns.b} />
    </div>
  )
}

function RunSide({ run, title }: { readonly run: ComparedRuns['a']; readonly title: string }) {
  const { id, agent, state, failReason, durationMs, cost, createdAt } = run
  return (
    <section aria-label={title}>
      <StateLine badge={<StatusBadge state={state} />}>
        <Link className="link" to={`/runs/${encodeURIComponent(id)}`}>
          {agent?.name ?? id}
        </Link>{' '}
        <span className="faint">{failReason}</span>
      </StateLine>
      <FactLine
        facts={[
          [text.facts.duration, <Duration ms={durationMs} />],
          [text.facts.cost, <Money amount={cost?.amount} currency={cost?.currency ?? ''} />],
          [text.facts.tokens, <Count value={tokensOf(run)} />],
          [text.facts.revision, agent?.revision == null ? undefined : `r${agent.revision}`],
          [text.facts.started, <Time at={createdAt} />],
        ]}
      />
    </section>
  )
}
