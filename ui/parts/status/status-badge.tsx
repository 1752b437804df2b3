import type { ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import { lookOf } from './state-looks.ts'
import styles from './status-badge.module.css'
import { toneClass } from './tones.ts'
import type { Tone } from './tones.ts'

interface StatusBadgeProps {
  /** A state of the API, such as `succeeded`. */
  readonly state: string
  /** Without a ground, for dense tables. */
  readonly isPlain?: boolean
  /** Other words than those of the state. */
  readonly children?: ReactNode
}

/** A state: word, icon and tone. */
export function StatusBadge({ state, isPlain = false, children }: StatusBadgeProps) {
  const { tone, icon, label } = lookOf(state)
  return (
    <span className={`${styles['badge']} ${isPlain ? styles['plain'] : ''} ${toneClass(tone)}`}>
      <Icon name={icon} size={12} stroke={2.4} className={icon === 'turning' ? styles['turning'] : undefined} />
      <span className="clip">{children ?? label}</span>
    </span>
  )
}

interface TagProps {
  readonly tone?: Tone
  readonly icon?: IconName
  readonly children: ReactNode
}

/** A word on its ground. */
export function Tag({ tone = 'mute', icon, children }: TagProps) {
  return (
    <span className={`${styles['badge']} ${toneClass(tone)}`}>
      {icon === undefined ? undefined : <Icon name={icon} size={12} stroke={2.4} />}
      <span className="clip">{children}</span>
    </span>
  )
}
