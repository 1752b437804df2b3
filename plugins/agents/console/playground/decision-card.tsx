import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { FormEvent } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { toneClass } from '#ui/parts/status/tones.ts'
import { mayNot } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import { typedPayloadOf, wantsObject } from './typed-payload.ts'
import type { PlayedInterrupt } from './played-run.ts'
import styles from './playground.module.css'
import { playgroundText } from './text.ts'

const text = playgroundText.decision

interface DecisionCardProps {
  readonly runId: string
  readonly interrupt: PlayedInterrupt
  readonly agent: ShownAgent
}

type DecisionBody = Readonly<Record<string, unknown>>

/** The decision that a run waits for, in the conversation. The stream shows what follows. */
export function DecisionCard({ runId, interrupt, agent }: DecisionCardProps) {
  const { id, tool, question, arguments: given, policy } = interrupt
  const { can } = agent
  const decide = useMutation({
    mutationFn: (body: DecisionBody) =>
      sendApi({ method: 'POST', path: ['runs', runId, 'resume'], body: { interruptId: id, ...body } }),
  })
  const isBusy = decide.isPending || decide.isSuccess
  const whyNot = mayNot(can, 'cancelRuns') ? text.notAllowed : undefined
  const shared = { isBusy, whyNot, onDecide: (body: DecisionBody) => decide.mutate(body) }
  return (
    <section className={`${styles['decision']} ${toneClass('wait')}`} aria-label={text.question}>
      <h3>
        <Icon name="waiting" size={15} />
        <span dir="auto">{question ?? text.approve(tool ?? '')}</span>
      </h3>
      {given === undefined ? undefined : <JsonView label={text.arguments} value={given} />}
      {policy === undefined ? undefined : <p className="faint">{text.rule(policy.kind, policy.name)}</p>}
      {question === undefined ? <ApprovalForm {...shared} /> : <AnswerForm {...shared} schema={interrupt.schema} />}
      {decide.error === null ? undefined : (
        <Notice tone="bad" title={text.failed}>
          {decide.error.message}
        </Notice>
      )}
    </section>
  )
}

interface DecidingProps {
  readonly isBusy: boolean
  readonly whyNot: string | undefined
  readonly onDecide: (body: DecisionBody) => void
}

function ApprovalForm({ isBusy, whyNot, onDecide }: DecidingProps) {
  const [reason, setReason] = useState('')
  const decide = (decision: 'approve' | 'reject'): void =>
    onDecide({ decision, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })
  return (
    <div className={styles['decide']}>
      <input
        aria-label={text.reason}
        placeholder={text.reason}
        maxLength={1024}
        dir="auto"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <Button icon="close" isBusy={isBusy} whyNot={whyNot} onClick={() => decide('reject')}>
        {text.no}
      </Button>
      <Button kind="primary" icon="check" isBusy={isBusy} whyNot={whyNot} onClick={() => decide('approve')}>
        {text.yes}
      </Button>
    </div>
  )
}

function AnswerForm({ isBusy, whyNot, onDecide, schema }: DecidingProps & { readonly schema: unknown }) {
  const [words, setWords] = useState('')
  const answer = typedPayloadOf(words, schema)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (answer !== undefined && !isBusy && whyNot === undefined) onDecide({ payload: answer.value })
  }
  const isWrong = answer === undefined && words.trim() !== ''
  return (
    <form onSubmit={submit}>
      {wantsObject(schema) ? <JsonView label={text.object} value={schema} /> : undefined}
      <div className={styles['decide']}>
        <input
          aria-label={text.answerHint}
          placeholder={text.answerHint}
          dir="auto"
          value={words}
          {...(isWrong ? { 'aria-invalid': true } : {})}
          onChange={({ target }) => setWords(target.value)}
        />
        <Button
          kind="primary"
          icon="check"
          isSubmit
          isBusy={isBusy}
          whyNot={whyNot ?? (answer === undefined ? text.object : undefined)}
        >
          {text.answer}
        </Button>
      </div>
    </form>
  )
}
