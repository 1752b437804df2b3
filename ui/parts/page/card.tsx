import { useId } from 'react'
import type { ReactNode } from 'react'
import styles from './card.module.css'

interface CardProps {
  readonly title?: string
  readonly action?: ReactNode
  /** Its content reaches the edges, as a table does. */
  readonly isFlush?: boolean
  readonly children: ReactNode
}

/** A part of a report. */
export function Card({ title, action, isFlush = false, children }: CardProps) {
  const id = useId()
  return (
    <section className={styles['card']} {...(title === undefined ? {} : { 'aria-labelledby': id })}>
      {title === undefined ? undefined : (
        <div className={styles['head']}>
          <h2 id={id}>{title}</h2>
          <span className="grow" />
          {action}
        </div>
      )}
      <div className={isFlush ? '' : styles['body']}>{children}</div>
    </section>
  )
}

/** A page of cards in one column. */
export function Report({ children }: { readonly children: ReactNode }) {
  return <div className={styles['report']}>{children}</div>
}
