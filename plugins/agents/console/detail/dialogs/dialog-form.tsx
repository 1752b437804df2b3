import { useId } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { Dialog } from '#ui/parts/overlay/dialog.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { FieldError } from '#ui/parts/state/field-error.tsx'
import { text as commonText } from '#ui/text/en.ts'
import styles from '../../shared/agent.module.css'
import { refusalAt } from './refusal-at.ts'

interface DialogFormProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly isBusy: boolean
  /** Why the last request was refused; fields show their own part of it. */
  readonly error: Error | null
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog with a few fields. What was typed stays after a refusal. */
export function DialogForm({ title, hint, action, isBusy, error, onSubmit, onClose, children }: DialogFormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isBusy) onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <p className="dim">{hint}</p>
        {children}
        {error === null ? undefined : <Notice tone="bad">{error.message}</Notice>}
        <div className={styles['buttons']}>
          <Button onClick={onClose}>{commonText.confirm.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly maxLength: number
  readonly isRequired?: boolean
  readonly isLong?: boolean
  /** Pointer of the field in the body of the request. */
  readonly pointer: string
  readonly error: Error | null
  readonly onChange: (value: string) => void
}

/** A field of a dialog, with what the server refused of it. */
export function TextField(props: TextFieldProps) {
  const { label, hint, value, maxLength, isRequired = false, isLong = false, pointer, error, onChange } = props
  const id = useId()
  const refused = refusalAt(error, pointer)
  const shared = {
    value,
    maxLength,
    required: isRequired,
    autoComplete: 'off',
    spellCheck: isLong,
    dir: 'auto',
    ...(refused === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id }),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  } as const
  return (
    <label>
      <span>{label}</span>
      {isLong ? <textarea {...shared} /> : <input {...shared} />}
      {hint === undefined ? undefined : <span className="faint">{hint}</span>}
      {refused === undefined ? undefined : <FieldError id={id}>{refused}</FieldError>}
    </label>
  )
}
