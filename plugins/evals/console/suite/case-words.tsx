import { JsonView } from '#ui/parts/content/json-view.tsx'
import { MessageView } from '#ui/parts/content/message-view.tsx'
import styles from './suite.module.css'

interface CaseWordsProps {
  readonly title: string
  readonly value: unknown
}

/** A value of a case under its name. */
export function CaseWords({ title, value }: CaseWordsProps) {
  return (
    <div className={styles['words']}>
      <h3>{title}</h3>
      {typeof value === 'string' ? (
        <div className={styles['value']} role="group" aria-label={title} tabIndex={0}>
          <MessageView role="user" words={value} isBare />
        </div>
      ) : (
        <JsonView label={title} value={value ?? null} />
      )}
    </div>
  )
}
