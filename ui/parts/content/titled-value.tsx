import { JsonView } from './json-view.tsx'
import { MessageView } from './message-view.tsx'
import styles from './titled-value.module.css'

interface TitledValueProps {
  readonly title: string
  readonly value: unknown
  /** What is said where there is no value. */
  readonly absent?: string | undefined
}

/** A value under its name: words as they are, and JSON as JSON. */
export function TitledValue({ title, value, absent }: TitledValueProps) {
  return (
    <div className={styles['titled']}>
      <h3>{title}</h3>
      <Value title={title} value={value} absent={absent} />
    </div>
  )
}

function Value({ title, value, absent }: TitledValueProps) {
  if (value === undefined && absent !== undefined) return <p className="faint">{absent}</p>
  if (typeof value !== 'string') return <JsonView label={title} value={value ?? null} />
  return (
    <div className={styles['value']} role="group" aria-label={title} tabIndex={0}>
      <MessageView role="user" words={value} isBare />
    </div>
  )
}
