import type { FormEvent, ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { Dialog } from '../overlay/dialog.tsx'
import { Notice } from '../page/notice.tsx'
import styles from './dialog-form.module.css'

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
        {error === null ? undefined : (
          <div role="alert">
            <Notice tone="bad">{error.message}</Notice>
          </div>
        )}
        <div className={styles['buttons']}>
          <Button onClick={onClose}>{text.confirm.cancel}</Button>
          <Button kind="primary" isSubmit isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Two fields beside each other. */
export function FieldPair({ children }: { readonly children: ReactNode }) {
  return <div className={styles['pair']}>{children}</div>
}
