import { Fragment } from 'react'
import styles from './overview.module.css'

/** Facts by name: the numbers stand at the end. */
export function FactList({ facts }: { readonly facts: readonly (readonly [string, string])[] }) {
  return (
    <dl className={`num ${styles['facts']}`}>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
