import { text } from '../../text/en.ts'
import { toAge, toDay } from '../format/times.ts'
import { useNow } from '../value/clock.ts'
import styles from './condition-timeline.module.css'
import { toBand } from './revision-band.ts'
import type { ServedRevision } from './revision-band.ts'
import { StatusBadge } from './status-badge.tsx'
import { toneClass } from './tones.ts'

/** A condition of an object's status. */
export interface ShownCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

interface ConditionTimelineProps {
  readonly conditions: readonly ShownCondition[]
  /** Types whose True is no good news, such as `Stalled`. */
  readonly negative?: readonly string[]
  readonly revisions?: readonly ServedRevision[]
}

const DAYS = 14

/** Conditions with reason, message and age, over the revisions of 14 days. */
export function ConditionTimeline({ conditions, negative = [], revisions = [] }: ConditionTimelineProps) {
  const now = useNow()
  return (
    <div>
      <ul>
        {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
          <li key={type} className={styles['row']}>
            <StatusBadge state={stateOf(status, negative.includes(type))} isPlain>
              {type}
            </StatusBadge>
            <span className={`mono ${styles['reason']}`}>{reason}</span>
            <span dir="auto" className={`user-text ${styles['message']}`}>
              {message}
            </span>
            <span className={`num ${styles['age']}`}>{toAge(lastTransitionTime, now)}</span>
          </li>
        ))}
      </ul>
      {revisions.length === 0 ? undefined : <Band revisions={revisions} now={now} />}
    </div>
  )
}

function stateOf(status: ShownCondition['status'], isNegative: boolean): string {
  if (status === 'Unknown') return 'unknown'
  return (status === 'True') === isNegative ? 'error' : 'ok'
}

function Band({ revisions, now }: { readonly revisions: readonly ServedRevision[]; readonly now: number }) {
  const parts = toBand(revisions, now, DAYS)
  const start = new Date(now - DAYS * 86_400_000).toISOString()
  return (
    <>
      <h3 className={styles['title']}>{text.conditions.days(DAYS)}</h3>
      <div className={styles['band']} role="img" aria-label={text.conditions.band(parts)}>
        {parts.map(({ revision, isRolledBack, left, width }) => (
          <span
            key={left}
            className={`${styles['part']} ${toneClass(isRolledBack ? 'bad' : 'ok')}`}
            style={{ left: `${left}%`, width: `calc(${width}% - 2px)` }}
          >
            {revision}
          </span>
        ))}
      </div>
      <div className={styles['ends']}>
        <span>{toDay(start)}</span>
        <span>{toDay(new Date(now).toISOString())}</span>
      </div>
    </>
  )
}
