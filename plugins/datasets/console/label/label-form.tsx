import { useRef, useState } from 'react'
import type { FormEvent, KeyboardEvent } from 'react'
import { Button, Key } from '#ui/parts/control/button.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { useKeys } from '#ui/parts/keys/use-keys.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { datasetsText } from '../shared/text.ts'
import styles from './label.module.css'
import { readLabel } from './typed-label.ts'
import type { LabelTask } from './use-label-work.ts'

const text = datasetsText.work
const problems = { number: text.wrongNumber, value: text.needsValue }

interface LabelFormProps {
  readonly task: LabelTask
  readonly error: Error | null
  readonly isBusy: boolean
  readonly onSend: (body: object) => void
}

/** A verdict or a value, with a note. What was typed stays if the server refuses it. */
export function LabelForm({ task, error, isBusy, onSend }: LabelFormProps) {
  const [value, setValue] = useState('')
  const [comment, setComment] = useState('')
  const [problem, setProblem] = useState<keyof typeof problems>()
  const form = useRef<HTMLFormElement>(null)
  const isVerdict = task.dataType === 'boolean'
  const send = (given: string | boolean): void => {
    const read = readLabel({ ...task, value: given, comment })
    setProblem('problem' in read ? read.problem : undefined)
    if ('body' in read) onSend(read.body)
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isVerdict) send(value)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
    // The keys of the verdict act outside of a field.
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur()
  }
  const focus = (index: number): void => form.current?.querySelectorAll<HTMLElement>('input, textarea')[index]?.focus()
  useKeys([
    ...(isVerdict
      ? [
          { keys: 'y', label: text.keys.yes, run: () => send(true) },
          { keys: 'n', label: text.keys.no, run: () => send(false) },
        ]
      : [{ keys: 'v', label: text.value, run: () => focus(0) }]),
    { keys: 'c', label: text.keys.note, run: () => focus(isVerdict ? 0 : 1) },
  ])
  return (
    <form ref={form} className={styles['form']} onSubmit={submit} onKeyDown={press}>
      {isVerdict ? undefined : (
        <TextField
          label={text.value}
          value={value}
          maxLength={10_000}
          isLong={task.dataType === 'text' || task.dataType === 'correction'}
          refused={problem === undefined ? undefined : problems[problem]}
          onChange={setValue}
        />
      )}
      <TextField
        label={text.comment}
        placeholder={text.commentHint}
        value={comment}
        maxLength={2_000}
        isLong={isVerdict}
        onChange={setComment}
      />
      {error === null ? undefined : (
        <div role="alert">
          <Notice tone="bad">{error.message}</Notice>
        </div>
      )}
      <div className={styles['buttons']}>
        {isVerdict ? (
          <>
            <Button kind="primary" icon="check" isBusy={isBusy} onClick={() => send(true)}>
              {text.yes}
              <Key>y</Key>
            </Button>
            <Button icon="cross" isBusy={isBusy} onClick={() => send(false)}>
              {text.no}
              <Key>n</Key>
            </Button>
          </>
        ) : (
          <Button kind="primary" isSubmit isBusy={isBusy}>
            {text.save}
          </Button>
        )}
      </div>
    </form>
  )
}
