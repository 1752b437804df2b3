import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import styles from './run-page.module.css'
import type { RunOfPage } from './run-state.ts'
import { consentPath, waitsForConsent } from '../send/consent-path.ts'
import { ConsentWay } from '../send/consent-way.tsx'
import { sendRun } from '../send/send-run.ts'
import type { InterruptDecision } from '../send/send-run.ts'
import { runText } from './text.ts'

const { decision: text } = runText

type OpenInterrupt = RunOfPage['interrupts'][number]

/** What a paused run waits for, with its choices. */
export function DecideDialog({ run, onClose }: { readonly run: RunOfPage; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const resume = useMutation({
    mutationFn: async (answer: InterruptDecision) => sendRun([run.id, 'resume'], answer),
    onSuccess: async () => {
      if (run.interrupts.length < 2) onClose()
      await queries.invalidateQueries({ queryKey: ['runs', run.id] })
    },
  })
  return (
    <Dialog title={text.title} onClose={onClose}>
      {run.interrupts.length === 0 ? <p className="dim">{text.none}</p> : undefined}
      {resume.error === null ? undefined : <Notice tone="bad">{resume.error.message}</Notice>}
      {run.interrupts.map((interrupt) => (
        <InterruptForm
          key={interrupt.id}
          interrupt={interrupt}
          run={run.id}
          isBusy={resume.isPending}
          onSend={(answer) => (resume.isPending ? undefined : resume.mutate({ ...answer, interruptId: interrupt.id }))}
        />
      ))}
    </Dialog>
  )
}

interface InterruptFormProps {
  readonly run: string
  readonly interrupt: OpenInterrupt
  readonly isBusy: boolean
  readonly onSend: (answer: Readonly<Record<string, unknown>>) => void
}

function InterruptForm({ run, interrupt, isBusy, onSend }: InterruptFormProps) {
  const [words, setWords] = useState('')
  const { tool, question, hints, policy, reason } = interrupt
  const isQuestion = reason === 'input_required'
  const given = words.trim() === '' ? {} : { reason: words.trim() }
  return (
    <section className={styles['interrupt']}>
      <h3 dir="auto">
        {isQuestion ? text.question : waitsForConsent(interrupt) ? text.needsConsent : text.asks(tool ?? '')}
      </h3>
      {question === undefined ? undefined : (
        <p dir="auto" className="user-text">
          {question}
        </p>
      )}
      <div className="row">
        {hints?.destructive === true ? <Tag tone="warn">{text.destructive}</Tag> : undefined}
        {hints?.readOnly === true ? <Tag tone="ok">{text.readOnly}</Tag> : undefined}
        {policy === undefined ? undefined : <span className="faint">{text.rule(policy.kind, policy.name)}</span>}
      </div>
      {interrupt.arguments === undefined ? undefined : <JsonView label={text.arguments} value={interrupt.arguments} />}
      <label>
        <span className={styles['label']}>{isQuestion ? text.answer : text.reason}</span>
        <textarea
          className={styles['field']}
          dir="auto"
          rows={2}
          maxLength={isQuestion ? 100_000 : 1024}
          placeholder={isQuestion ? text.answerHint : undefined}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </label>
      <div className={styles['actions']}>
        {isQuestion ? (
          <Button kind="primary" isBusy={isBusy} onClick={() => onSend({ payload: toPayload(words) })}>
            {text.send}
          </Button>
        ) : (
          <>
            <Button kind="danger" isBusy={isBusy} onClick={() => onSend({ decision: 'reject', ...given })}>
              {text.reject}
            </Button>
            {waitsForConsent(interrupt) ? (
              <ConsentWay to={consentPath(run, interrupt)} />
            ) : (
              <Button kind="primary" isBusy={isBusy} onClick={() => onSend({ decision: 'approve', ...given })}>
                {text.approve}
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  )
}

/** An answer is a text, or the JSON value that was typed. */
export function toPayload(words: string): unknown {
  if (!/^\s*[[{"\d-]|^\s*(?:true|false|null)\s*$/.test(words)) return words
  try {
    return JSON.parse(words)
  } catch {
    return words
  }
}
