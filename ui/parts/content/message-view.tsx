import { useState } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { toSize } from '../format/counts.ts'
import { MessageBody } from './message-body.tsx'
import type { MessageRole } from './message-role.ts'
import styles from './message-view.module.css'

interface MessageViewProps {
  readonly role: MessageRole
  readonly words: string
  /** Name of the tool or the agent. */
  readonly author?: string
  readonly isStreaming?: boolean
  /** Without its author, who stands beside it. */
  readonly isBare?: boolean
  /** The message is longer than what was kept. */
  readonly isCut?: boolean
}

const FOLDED_FROM = 20_000

/** A message: text and never markup. Long ones are folded with their size. */
export function MessageView(props: MessageViewProps) {
  const { role, words, author, isStreaming = false, isBare = false, isCut = false } = props
  const [isOpen, setOpen] = useState(false)
  const isLong = words.length > FOLDED_FROM && !isOpen
  const shown = isLong ? words.slice(0, FOLDED_FROM) : words
  const body = <MessageBody words={shown} isStreaming={isStreaming} />
  return (
    <article className={`${styles['message']} ${styles[role] ?? ''}`}>
      {role === 'reasoning' || isBare ? undefined : (
        <div className={styles['role']}>
          {text.message.roles[role]}
          {author === undefined ? undefined : (
            <span className="mono" dir="auto">
              {author}
            </span>
          )}
        </div>
      )}
      {role === 'reasoning' ? (
        <details className={styles['reasoning']} open={isStreaming}>
          <summary>{text.message.reasoning(toSize(words.length))}</summary>
          {body}
        </details>
      ) : (
        body
      )}
      {isLong ? (
        <Button isSmall onClick={() => setOpen(true)}>
          {text.message.showAll(toSize(words.length))}
        </Button>
      ) : undefined}
      {isCut ? <p className="faint">{text.message.cut}</p> : undefined}
    </article>
  )
}
