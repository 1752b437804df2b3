import { useState } from 'react'
import type { FormEvent, KeyboardEvent } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { useSession } from '#ui/api/session.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button, Key } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { mayNot } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import styles from './playground.module.css'
import { playgroundText as text } from './text.ts'
import type { ShownConversation } from './use-conversation.ts'
import { useFirstInput } from './use-first-input.ts'

interface ComposerProps {
  readonly agent: ShownAgent
  readonly conversation: ShownConversation
  /** The run of the last message goes on. */
  readonly isBusy: boolean
  readonly isStopping: boolean
  readonly stopError: Error | null
  readonly onStop: () => void
  /** Absent in a conversation without turns. */
  readonly onNew: (() => void) | undefined
}

/** The field of the next message. What was typed stays until the server has taken it. */
export function Composer(props: ComposerProps) {
  const { agent, conversation, isBusy, isStopping, stopError, onStop, onNew } = props
  const { isSending, sendError, send, turns } = conversation
  const [{ conversation: opened }] = useAddress()
  const first = useFirstInput(agent, turns.length === 0 && opened === undefined)
  const [typed, setTyped] = useState<string>()
  const words = typed ?? first
  const { name } = agent.metadata
  const session = useSession()?.session
  const whyNot = whyNotSent({ agent, words, isBusy })
  const submit = (event?: FormEvent): void => {
    event?.preventDefault()
    if (whyNot !== undefined || isSending) return
    send(words, () => setTyped(''))
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const problem = sendError ?? stopError
  return (
    <form className={styles['composer']} onSubmit={submit}>
      {problem === null ? undefined : <SendProblem error={problem} />}
      <div className={styles['field']}>
        <textarea
          aria-label={text.message(name)}
          placeholder={text.message(name)}
          dir="auto"
          rows={2}
          value={words}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={press}
          autoFocus
        />
        <div className={styles['tools']}>
          <span className="clip dim">
            {text.as} <span className="mono">{session?.username}</span>
          </span>
          {onNew === undefined ? undefined : (
            <Button isSmall kind="quiet" icon="plus" onClick={onNew}>
              {text.fresh}
            </Button>
          )}
          <span className="grow" />
          {isBusy ? (
            <Button icon="stop" isBusy={isStopping} onClick={onStop}>
              {isStopping ? text.stopping : text.stop}
            </Button>
          ) : (
            <>
              <span className={styles['hint']} aria-hidden>
                <Key>{text.sendKeys}</Key>
              </span>
              <Button kind="primary" icon="send" isSubmit isBusy={isSending} whyNot={whyNot}>
                {text.send}
              </Button>
            </>
          )}
        </div>
      </div>
    </form>
  )
}

interface Draft {
  readonly agent: ShownAgent
  readonly words: string
  readonly isBusy: boolean
}

function whyNotSent({ agent: { can, metadata }, words, isBusy }: Draft): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return text.gone
  if (mayNot(can, 'invoke')) return text.notAllowed
  if (isBusy) return text.isRunning
  return words.trim() === '' ? text.noWords : undefined
}

function SendProblem({ error }: { readonly error: Error }) {
  const { retryAfter, errors = [] } = error instanceof ApiProblem ? error.facts : {}
  const details = [
    error.message,
    ...errors.map(({ pointer, detail }) => `${pointer}: ${detail}`),
    ...(retryAfter === undefined ? [] : [text.retryIn(retryAfter)]),
  ]
  return (
    <div role="alert">
      <Notice tone="bad" title={text.notSent}>
        {details.join(' ')}
      </Notice>
    </div>
  )
}
