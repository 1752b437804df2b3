import { Link } from '@tanstack/react-router'
import { Fragment, useEffect } from 'react'
import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { Icon } from '../icon/icon.tsx'
import { PageActions } from './page-actions.tsx'
import type { PageAction } from './page-actions.tsx'
import styles from './page-bar.module.css'
import { openOverlay } from './shell-store.ts'

/** A page above this one. */
export interface Crumb {
  readonly label: string
  readonly to: string
}

interface PageBarProps {
  /** The heading of the page, which is the title of the document, too. */
  readonly title: string
  /** At most two pages above this one, the outermost first. */
  readonly crumbs?: readonly Crumb[]
  /** A sign before the title. */
  readonly lead?: ReactNode
  readonly actions?: readonly PageAction[]
  /** What is no action: a badge, a choice of a range. */
  readonly children?: ReactNode
}

/** Where the page is, and what can be done on it. */
export function PageBar({ title, crumbs = [], lead, actions = [], children }: PageBarProps) {
  const names = [title, ...crumbs.map(({ label }) => label).toReversed(), 'mesh'].join(', ')
  useEffect(() => {
    document.title = names
  }, [names])
  return (
    <div className={styles['bar']}>
      <span className={styles['phone']}>
        <Button
          kind="quiet"
          icon="menu"
          aria-label={text.shell.openNavigation}
          onClick={() => openOverlay('navigation')}
        />
      </span>
      <div className={styles['crumbs']}>
        {crumbs.map(({ label, to }) => (
          <Fragment key={to}>
            <Link to={to} className="clip" dir="auto">
              {label}
            </Link>
            <Icon name="forward" size={13} />
          </Fragment>
        ))}
        <span className={styles['here']}>
          {lead}
          <h1 className="clip" dir="auto" title={title}>
            {title}
          </h1>
        </span>
      </div>
      <span className="grow" />
      <div className={styles['actions']}>
        {children}
        <PageActions actions={actions} />
      </div>
      <span className={styles['phone']}>
        <Button kind="quiet" icon="search" aria-label={text.shell.search} onClick={() => openOverlay('palette')} />
      </span>
    </div>
  )
}
