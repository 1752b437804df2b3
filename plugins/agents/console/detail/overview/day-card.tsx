import type { AgentStatistics } from '#schemas/api/agent-views.ts'
import { OutcomeBars } from '#ui/parts/figure/outcome-bars.tsx'
import { toCount, toPercent } from '#ui/parts/format/counts.ts'
import { toDuration } from '#ui/parts/format/duration.ts'
import { toMoney } from '#ui/parts/format/money.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { successOf } from '../../shared/shown-agent.ts'
import { agentText } from '../../shared/text.ts'
import { FactList } from './fact-list.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

const text = overviewText.day

/** The runs of a day in numbers. */
export function DayCard({ stats }: { readonly stats: AgentStatistics | undefined }) {
  return (
    <Card title={text.title}>
      {stats === undefined ? <p className="faint">{text.none}</p> : <DayFigures stats={stats} />}
    </Card>
  )
}

function DayFigures({ stats }: { readonly stats: AgentStatistics }) {
  const { runs, failed, p50Ms, p95Ms, tokens, cost, bins } = stats
  return (
    <>
      <div className={styles['bars']}>
        <OutcomeBars bins={bins} label={agentText.runs(runs, failed)} width={240} height={36} />
      </div>
      <FactList
        facts={[
          [text.runs, toCount(runs)],
          [text.failed, toCount(failed)],
          [text.succeeded, toPercent(successOf(stats), 1)],
          [text.median, toDuration(p50Ms)],
          [text.p95, toDuration(p95Ms)],
          [text.tokens, toCount(tokens)],
          [text.cost, toMoney(cost?.amount, cost?.currency ?? '')],
        ]}
      />
    </>
  )
}
