import { Link } from '@tanstack/react-router'
import type { RunStats } from '#schemas/api/run-stats.ts'
import { useReachable } from '#ui/contract/reachable.ts'
import { OutcomeBars } from '#ui/parts/figure/outcome-bars.tsx'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import styles from './home.module.css'
import { homeText } from './text.ts'

const { busiest: text } = homeText

interface BusiestAgentsProps {
  readonly stats: RunStats | undefined
  readonly error: Error | null
  readonly onRetry: () => void
}

/** The agents with the most runs of the range. */
export function BusiestAgents({ stats, error, onRetry }: BusiestAgentsProps) {
  const isReachable = useReachable()('/agents')
  const all = isReachable ? (
    <Link to="/agents" className={styles['all']}>
      {text.all}
      <Icon name="arrow" size={13} />
    </Link>
  ) : undefined
  const groups = stats?.groups.flatMap(({ agent, ...group }) => (agent === undefined ? [] : [{ agent, ...group }]))
  return (
    <Card title={text.title} action={all}>
      {stats === undefined && error !== null ? <ProblemState error={error} onRetry={onRetry} /> : undefined}
      {groups?.length === 0 ? <p className="faint">{text.empty}</p> : undefined}
      <ul>
        {groups?.map(({ agent: { namespace, name }, count, failed, bins }) => (
          <li key={`${namespace}/${name}`} className={styles['busy']}>
            <Glyph name={name} size={22} />
            <Link
              to={`/agents/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`}
              className={`grow ${styles['words']}`}
            >
              <div className={`clip ${styles['title']}`} dir="auto">
                {name}
              </div>
              <div className="num faint">{text.runs(count, failed)}</div>
            </Link>
            <OutcomeBars
              label={text.bars(name, count, failed)}
              bins={bins.map((bin) => ({ ok: bin.count - bin.failed, failed: bin.failed }))}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
