import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import styles from './providers.module.css'
import { providersText } from './text.ts'

const text = providersText.dialog

/** How far a step is. */
export type StepState = keyof typeof text.states

/** Both steps of a connection. */
export interface ConnectSteps {
  readonly try: StepState
  readonly store: StepState
}

const looks: Readonly<Record<StepState, string>> = {
  waiting: 'queued',
  running: 'running',
  done: 'ok',
  failed: 'failed',
  skipped: 'idle',
}

/** What happens after a press on Connect: each step as it is. */
export function StepList({ steps }: { readonly steps: ConnectSteps }) {
  return (
    <ol className={styles['steps']} aria-label={text.steps.label} aria-live="polite">
      {(['try', 'store'] as const).map((step) => (
        <li key={step}>
          <span className="grow">{text.steps[step]}</span>
          <StatusBadge state={looks[steps[step]]} isPlain>
            {text.states[steps[step]]}
          </StatusBadge>
        </li>
      ))}
    </ol>
  )
}
