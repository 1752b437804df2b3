import { Link } from '@tanstack/react-router'
import { Duration } from '#ui/parts/value/numbers.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import trace from '#ui/parts/trace/trace.module.css'
import styles from './decision.module.css'
import type { EarlierStep, PauseStory } from '../items/before-pause.ts'
import { approvalsText as text } from '../items/text.ts'

interface BeforeProps {
  /** Undefined while it is loading, or if it could not be read. */
  readonly story: PauseStory | undefined
  readonly hasFailed: boolean
  readonly run: string
}

/** The steps of the run before it paused. */
export function Before({ story, hasFailed, run }: BeforeProps) {
  return (
    <>
      <h3>{text.before}</h3>
      {story === undefined ? (
        <p className="faint">{hasFailed ? text.notRead : ''}</p>
      ) : story.steps.length === 0 ? (
        <p className="faint">{text.nothingBefore}</p>
      ) : (
        <ol className={styles['before']}>
          {story.steps.map((step) => (
            <Step key={step.id} step={step} />
          ))}
        </ol>
      )}
      {story === undefined || story.earlier === 0 ? undefined : (
        <Link to={`/runs/${encodeURIComponent(run)}`} className="link">
          {text.beforeRest(story.earlier)}
        </Link>
      )}
    </>
  )
}

function Step({ step: { kind, name, preview, durationMs, hasFailed } }: { readonly step: EarlierStep }) {
  return (
    <li>
      <span className={`${trace['shape']} ${trace[kind] ?? ''}`} />
      <span className={`mono ${styles['name']}`} dir="auto">
        {name}
      </span>
      <span className="dim grow clip" dir="auto">
        {preview}
      </span>
      {hasFailed ? <StatusBadge state="failed" isPlain /> : undefined}
      <Duration ms={durationMs} />
    </li>
  )
}
