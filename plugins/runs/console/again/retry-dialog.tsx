import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { FormEvent, KeyboardEvent } from 'react'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { sendRun } from '../send/send-run.ts'
import styles from './again.module.css'
import { readTyped, toTyped } from './retry-input.ts'
import { againText as text } from './text.ts'

interface RetryDialogProps {
  readonly run: Pick<Static<typeof Run>, 'id' | 'input'>
  readonly onClose: () => void
}

const forms = (['text', 'json'] as const).map((value) => ({ value, label: text.forms[value] }))

/** Runs the agent again, with an input that begins as that of the run. */
export function RetryDialog({ run, onClose }: RetryDialogProps) {
  const id = useId()
  const [typed, setTyped] = useState(() => toTyped(run.input))
  const [why, setWhy] = useState<string>()
  const navigate = useNavigate()
  const retry = useMutation({
    mutationFn: async (input: unknown) => sendRun([run.id, 'retry'], { input }),
    onSuccess: async (made) => {
      onClose()
      if (made !== undefined) await navigate({ to: `/runs/${encodeURIComponent(made.id)}` })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = readTyped(typed)
    setWhy('why' in read ? read.why : undefined)
    if ('value' in read && !retry.isPending) retry.mutate(read.value)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <Dialog title={text.title} isWide onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <p className="dim">{text.about}</p>
        <div>
          <Segmented
            label={text.form}
            value={typed.isJson ? 'json' : 'text'}
            options={forms}
            onChange={(form) => setTyped({ ...typed, isJson: form === 'json' })}
          />
        </div>
        <label>
          <span className={styles['label']}>{text.input}</span>
          <textarea
            className={`${styles['field']} ${typed.isJson ? 'mono' : ''}`}
            dir="auto"
            rows={8}
            spellCheck={!typed.isJson}
            value={typed.words}
            onChange={({ target }) => setTyped({ ...typed, words: target.value })}
            onKeyDown={press}
            {...(why === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
          />
        </label>
        {why === undefined ? undefined : <FieldError id={id}>{text.wrong(why)}</FieldError>}
        {retry.error === null ? undefined : <ProblemState error={retry.error} />}
        <div className={styles['actions']}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={retry.isPending}>
            {text.start}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
