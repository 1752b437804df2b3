import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import styles from './button.module.css'

interface ButtonLinkProps {
  /** An address of the console, with its parameters. */
  readonly to: string
  readonly kind?: 'primary' | 'default' | 'quiet'
  readonly icon?: IconName
  readonly isSmall?: boolean
  readonly children: ReactNode
}

/** A link that looks like a button: it opens a page and does nothing else. */
export function ButtonLink({ to, kind = 'default', icon, isSmall = false, children }: ButtonLinkProps) {
  const names = ['button', kind, isSmall ? 'small' : '']
  const [path = '', search = ''] = to.split('?')
  return (
    <Link
      to={path}
      search={Object.fromEntries(new URLSearchParams(search)) as never}
      className={names.map((name) => styles[name] ?? '').join(' ')}
    >
      {icon === undefined ? undefined : <Icon name={icon} size={isSmall ? 14 : 15} stroke={1.9} />}
      {children}
    </Link>
  )
}
