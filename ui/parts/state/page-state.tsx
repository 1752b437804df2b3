import type { ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import styles from './page-state.module.css'

interface PageStateProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** Small facts below: a code, a trace id. */
  readonly facts?: ReactNode
  readonly isAlert?: boolean
}

/** What stands in place of the content of a page. */
export function PageState({ icon, title, children, actions, facts, isAlert = false }: PageStateProps) {
  return (
    <div className={styles['state']} {...(isAlert ? { role: 'alert' } : {})}>
      <span className={styles['disc']}>
        <Icon name={icon} size={22} stroke={1.6} />
      </span>
      <h2 className={styles['title']}>{title}</h2>
      <div className={styles['body']} dir="auto">
        {children}
      </div>
      {actions === undefined ? undefined : <div className={styles['actions']}>{actions}</div>}
      {facts === undefined ? undefined : <div className={styles['facts']}>{facts}</div>}
    </div>
  )
}

/** A setting or a manifest to copy. */
export function StateCode({ children }: { readonly children: string }) {
  // It may scroll, so that the keyboard must reach it.
  return (
    <pre className={`mono ${styles['code']}`} tabIndex={0}>
      {children}
    </pre>
  )
}
