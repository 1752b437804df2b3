import { useState } from 'react'
import { text } from '../../text/en.ts'
import { JsonView } from '../content/json-view.tsx'
import { MessageView } from '../content/message-view.tsx'
import { Button } from '../control/button.tsx'
import { StatusBadge } from '../status/status-badge.tsx'
import { ChildLink } from './child-link.tsx'
import styles from './run.module.css'
import type { RunNode } from './run-node.ts'
import type { ShownMessage } from './shown-messages.ts'

/** So many are shown at first: a run may have thousands. */
const SHOWN = 100

interface RunMessagesProps {
  readonly messages: readonly ShownMessage[]
  /** Selects the span of a call; absent where calls are not links. */
  /** Child runs are links. */
  readonly hasChildLinks?: boolean
  readonly onCall?: ((spanId: string) => void) | undefined
}

/** What was said in a run, with the calls between. */
export function RunMessages({ messages, onCall, hasChildLinks = true }: RunMessagesProps) {
  const [most, setMost] = useState(SHOWN)
  if (messages.length === 0) return <p className={styles['none']}>{text.run.noMessages}</p>
  return (
    <div className={styles['messages']} role="region" aria-label={text.run.views.messages} tabIndex={0}>
      {messages
        .slice(0, most)
        .map((one) =>
          one.kind === 'words' ? (
            <MessageView key={one.id} role={one.role} words={one.words} isStreaming={one.isStreaming ?? false} />
          ) : (
            <CallView key={one.id} node={one.node} onCall={onCall} hasLink={hasChildLinks} />
          ),
        )}
      {messages.length <= most ? undefined : (
        <Button isSmall onClick={() => setMost(most + SHOWN)}>
          {text.run.moreMessages(messages.length - most)}
        </Button>
      )}
    </div>
  )
}

interface CallViewProps {
  readonly node: RunNode
  readonly onCall: RunMessagesProps['onCall']
  readonly hasLink: boolean
}

/** A call of a tool or of another agent: what it got, what it returned. */
function CallView({ node, onCall, hasLink }: CallViewProps) {
  const { attributes, content, status, runId, spanId, name, kind } = node
  const input = attributes['arguments'] ?? content?.arguments
  const output = attributes['result'] ?? content?.result ?? node.error ?? undefined
  return (
    <article className={styles['call']}>
      <div className="row">
        <span className="faint">{text.trace.kindTitle[kind]}</span>
        <span className="mono clip" dir="auto">
          {name}
        </span>
        <StatusBadge state={status} isPlain />
        <span className="grow" />
        {runId == null || !hasLink ? undefined : <ChildLink runId={runId} />}
        {onCall === undefined ? undefined : (
          <button type="button" className={`link ${styles['plain']}`} onClick={() => onCall(spanId)}>
            {text.run.showStep}
          </button>
        )}
      </div>
      {input == null ? undefined : <JsonView label={text.trace.input} value={input} />}
      {output == null ? undefined : <JsonView label={text.trace.output} value={output} />}
    </article>
  )
}
