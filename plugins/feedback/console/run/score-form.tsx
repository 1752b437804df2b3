import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { FormEvent, KeyboardEvent } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import styles from './run-feedback.module.css'
import { runFeedbackText as text } from './text.ts'
import { emptyScore, toScoreBody } from './typed-score.ts'

const kinds = (['good', 'bad', 'score'] as const).map((value) => ({ value, label: text.kinds[value] }))

interface ScoreFormProps {
  readonly runId: string
  readonly onSent: () => void
}

/** A thumb or a number, with a comment. What was typed stays if the server refuses it. */
export function ScoreForm({ runId, onSent }: ScoreFormProps) {
  const id = useId()
  const [typed, setTyped] = useState(emptyScore)
  const [isWrong, setWrong] = useState(false)
  const send = useMutation({
    mutationFn: async (body: object) => sendApi({ method: 'POST', path: ['feedback'], body }),
    onSuccess: () => {
      showToast({ kind: 'done', message: text.sent })
      setTyped(emptyScore)
      onSent()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = toScoreBody(runId, typed)
    setWrong(body === undefined)
    if (body !== undefined && !send.isPending) send.mutate(body)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <form className={styles['form']} onSubmit={submit} onKeyDown={press}>
      <div>
        <Segmented
          label={text.kind}
          value={typed.kind}
          options={kinds}
          onChange={(kind) => setTyped({ ...typed, kind })}
        />
      </div>
      {typed.kind === 'score' ? (
        <div className={styles['pair']}>
          <label>
            <span className={styles['label']}>{text.score}</span>
            <input
              className={styles['field']}
              inputMode="decimal"
              autoComplete="off"
              maxLength={20}
              value={typed.number}
              onChange={({ target }) => setTyped({ ...typed, number: target.value })}
              {...(isWrong ? { 'aria-invalid': true, 'aria-describedby': id } : {})}
            />
          </label>
          <label>
            <span className={styles['label']}>{text.name}</span>
            <input
              className={styles['field']}
              autoComplete="off"
              maxLength={64}
              data-tip={text.nameHint}
              value={typed.name}
              onChange={({ target }) => setTyped({ ...typed, name: target.value })}
            />
          </label>
        </div>
      ) : undefined}
      {isWrong ? <FieldError id={id}>{text.scoreWrong}</FieldError> : undefined}
      <label>
        <span className={styles['label']}>{text.comment}</span>
        <textarea
          className={styles['field']}
          dir="auto"
          rows={3}
          maxLength={4000}
          value={typed.comment}
          placeholder={text.commentHint}
          onChange={({ target }) => setTyped({ ...typed, comment: target.value })}
        />
      </label>
      {send.error === null ? undefined : <ProblemState error={send.error} />}
      <div>
        <Button kind="primary" isSubmit isBusy={send.isPending}>
          {text.send}
        </Button>
      </div>
    </form>
  )
}
