import type { ReactNode } from 'react'
import styles from './run.module.css'

/** A fact by its name; undefined is left out. */
export type NamedFact = readonly [string, ReactNode]

/** What is known of a run at a glance. */
export function FactLine({ facts }: { readonly facts: readonly NamedFact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num" dir="auto">
              {value}
            </dd>
          </div>
        ))}
    </dl>
  )
}

interface StateLineProps {
  /** The badge of the state. */
  readonly badge: ReactNode
  readonly children?: ReactNode
}

/** The state of a run, and why it is in it. */
export function StateLine({ badge, children }: StateLineProps) {
  return (
    <div className={styles['state']}>
      {badge}
      <div className={styles['why']} dir="auto">
        {children}
      </div>
    </div>
  )
}
