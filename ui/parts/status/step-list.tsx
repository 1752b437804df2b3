import { text } from '../../text/en.ts'
import { StatusBadge } from './status-badge.tsx'
import styles from './step-list.module.css'
import type { ShownStep, StepState } from './step-state.ts'

interface StepListProps {
  /** What the steps are of, for screen readers. */
  readonly label: string
  readonly steps: readonly ShownStep[]
}

const looks: Readonly<Record<StepState, string>> = {
  waiting: 'queued',
  running: 'running',
  done: 'ok',
  failed: 'failed',
  skipped: 'idle',
}

/** Steps in their order, each as it is. */
export function StepList({ label, steps }: StepListProps) {
  return (
    <ol className={styles['steps']} aria-label={label} aria-live="polite">
      {steps.map(({ name, state, note }) => (
        <li key={name}>
          <span className="grow">{name}</span>
          {note === undefined ? undefined : <span className="num faint">{note}</span>}
          <StatusBadge state={looks[state]} isPlain>
            {text.steps[state]}
          </StatusBadge>
        </li>
      ))}
    </ol>
  )
}
