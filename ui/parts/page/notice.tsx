import type { ReactNode } from 'react'
import { Icon } from '../icon/icon.tsx'
import { toneClass } from '../status/tones.ts'
import type { Tone } from '../status/tones.ts'
import styles from './notice.module.css'

interface NoticeProps {
  readonly tone: Tone
  readonly title?: string
  readonly children?: ReactNode
}

/** Something to know about what the page shows. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className={`${styles['notice']} ${toneClass(tone)}`}>
      <Icon name={tone === 'info' || tone === 'mute' ? 'info' : 'alert'} />
      <div>
        {title === undefined ? undefined : (
          <div className={styles['title']} dir="auto">
            {title}
          </div>
        )}
        <div className={styles['body']} dir="auto">
          {children}
        </div>
      </div>
    </div>
  )
}
