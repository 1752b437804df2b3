import { useEffect, useRef, useState } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { toClock } from '../format/times.ts'
import { toneClass } from '../status/tones.ts'
import type { Tone } from '../status/tones.ts'
import styles from './log-view.module.css'

/** A line of a log. */
export interface LogLine {
  readonly id: string
  readonly at: string | null
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly words: string
}

interface LogViewProps {
  readonly label: string
  readonly lines: readonly LogLine[]
  /** No line follows. */
  readonly isEnded?: boolean
  /** Earlier lines are not kept. */
  readonly isCut?: boolean
}

const tones: Readonly<Record<LogLine['level'], Tone>> = { debug: 'mute', info: 'info', warn: 'warn', error: 'bad' }
/** As near to the end as a line: the reader follows. */
const NEAR_PX = 24

/** Lines of a log. It follows the end until it is scrolled. */
export function LogView({ label, lines, isEnded = false, isCut = false }: LogViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const last = lines.at(-1)?.id
  useEffect(() => {
    const element = box.current
    if (isFollowing && element !== null) element.scrollTop = element.scrollHeight
  }, [last, isFollowing])
  const scrolled = (): void => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {}
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_PX)
  }
  return (
    <div className={styles['frame']}>
      <div
        ref={box}
        className={`mono ${styles['box']}`}
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={scrolled}
      >
        {isCut ? <p className={styles['note']}>{text.log.cut}</p> : undefined}
        {lines.map((line) => (
          <LogRow key={line.id} line={line} />
        ))}
        {isEnded ? <p className={styles['note']}>{text.log.ended}</p> : undefined}
      </div>
      {isFollowing || isEnded ? undefined : (
        <span className={styles['new']}>
          <Button isSmall icon="down" onClick={() => setFollowing(true)}>
            {text.log.follow}
          </Button>
        </span>
      )}
    </div>
  )
}

function LogRow({ line: { at, level, words } }: { readonly line: LogLine }) {
  return (
    <div className={styles['line']}>
      <span className={`num ${styles['time']}`}>{toClock(at)}</span>
      <span className={`${styles['level']} ${toneClass(tones[level])}`}>{level}</span>
      <span dir="auto" className={styles['words']}>
        {words}
      </span>
    </div>
  )
}
