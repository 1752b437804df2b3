import type { AgentKubeEvent } from '#schemas/api/agent-views.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Count } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import styles from './overview.module.css'
import { overviewText } from './text.ts'

const text = overviewText.events

/** What the cluster said of the agent and its pods, newest first. */
export function EventsCard({ events }: { readonly events: readonly AgentKubeEvent[] | null | undefined }) {
  if (events === null || events === undefined || events.length === 0) {
    return (
      <Card title={text.title}>
        <p className="faint">{events === null ? text.denied : text.none}</p>
      </Card>
    )
  }
  return (
    <Card title={text.title} isFlush>
      <ul>
        {events.map((event, index) => (
          <li key={`${event.object} ${event.reason} ${index}`} className={styles['event']}>
            <Time at={event.lastSeenAt} />
            <StatusBadge state={event.type === 'Warning' ? 'degraded' : 'ok'} isPlain>
              {event.reason}
            </StatusBadge>
            <span className="user-text" dir="auto">
              {event.message}
            </span>
            <Count value={event.count} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
