import { Card } from '#ui/parts/page/card.tsx'
import { ConditionTimeline } from '#ui/parts/status/condition-timeline.tsx'
import { negativeConditions } from '../../shared/shown-agent.ts'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { BudgetCard } from './budget-card.tsx'
import { DayCard } from './day-card.tsx'
import { EventsCard } from './events-card.tsx'
import styles from './overview.module.css'
import { PodsCard } from './pods-card.tsx'
import { ReferencesCards } from './references-cards.tsx'
import { overviewText as text } from './text.ts'

/** How the agent is: conditions, pods and events; at the side its figures and what it is connected with. */
export function OverviewTab({ agent, place }: AgentTabProps) {
  return (
    <div className={styles['overview']}>
      <div className={styles['column']}>
        <ConditionsCard agent={agent} />
        <PodsCard pods={agent.pods} />
        <EventsCard events={agent.events} />
      </div>
      <div className={styles['column']}>
        <DayCard stats={agent.stats} />
        {agent.budget === null || agent.budget === undefined ? undefined : <BudgetCard budget={agent.budget} />}
        <ReferencesCards place={place} />
      </div>
    </div>
  )
}

function ConditionsCard({ agent: { status } }: { readonly agent: ShownAgent }) {
  const conditions = status?.conditions ?? []
  return (
    <Card title={text.conditions}>
      {conditions.length === 0 ? (
        <p className="faint">{text.noConditions}</p>
      ) : (
        <ConditionTimeline conditions={conditions} negative={negativeConditions} />
      )}
    </Card>
  )
}
