import { useState } from 'react'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { toDuration } from '#ui/parts/format/duration.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { StatusBadge, Tag } from '#ui/parts/status/status-badge.tsx'
import type { PlayedPart } from './played-run.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'

const text = playgroundText.call

interface CallViewProps {
  readonly call: Exclude<PlayedPart, { readonly kind: 'text' }>
}

/** A call of a tool or of another agent, folded: its name, how it ended and how long it took. */
export function CallView({ call }: CallViewProps) {
  const { kind, name, input, output, hasFailed, durationMs, isDone } = call
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles['call']} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="forward" size={14} className={styles['chevron']} />
        <i className={`${styles['dot']} ${styles[kind] ?? ''}`} />
        <span className="mono clip" dir="auto">
          {name}
        </span>
        {hasFailed ? <Tag tone="bad">{text.failed}</Tag> : undefined}
        <span className="grow" />
        {isDone ? <span className="num faint">{toDuration(durationMs)}</span> : <StatusBadge state="running" isPlain />}
      </summary>
      {isOpen ? (
        <div className={styles['values']}>
          {input === undefined ? undefined : <JsonView label={text.input} value={input} />}
          {output === undefined ? undefined : <JsonView label={text.output} value={output} />}
        </div>
      ) : undefined}
    </details>
  )
}
