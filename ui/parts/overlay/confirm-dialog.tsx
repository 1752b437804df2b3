import { useState } from 'react'
import type { FormEvent, ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import styles from './confirm-dialog.module.css'
import { Dialog } from './dialog.tsx'

interface ConfirmDialogProps {
  readonly title: string
  /** What the action does, in words: "2 replicas restart; r14 stays in the list". */
  readonly effects: readonly string[]
  /** The words of the button, such as "Roll back". */
  readonly action: string
  /** A name to type, for what cannot be taken back. */
  readonly typed?: string
  readonly isDanger?: boolean
  readonly isBusy?: boolean
  /** For a diff beside its effects. */
  readonly isBroad?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  /** A diff, or a failure of the request. */
  readonly children?: ReactNode
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    effects,
    action,
    typed,
    isDanger = false,
    isBusy = false,
    isBroad = false,
    onConfirm,
    onClose,
    children,
  } = props
  const [value, setValue] = useState('')
  const whyNot = typed === undefined || value === typed ? undefined : text.confirm.typeFirst(typed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (whyNot === undefined && !isBusy) onConfirm()
  }
  return (
    <Dialog title={title} isBroad={isBroad} onClose={onClose}>
      <form onSubmit={submit}>
        <ul className={styles['effects']}>
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        <div className={styles['content']}>{children}</div>
        {typed === undefined ? undefined : (
          <label>
            <span className={styles['label']}>{text.confirm.type(typed)}</span>
            <input
              className={styles['field']}
              autoComplete="off"
              spellCheck={false}
              value={value}
              onChange={({ target }) => setValue(target.value)}
            />
          </label>
        )}
        <div className={styles['actions']}>
          <Button onClick={onClose}>{text.confirm.cancel}</Button>
          <Button kind={isDanger ? 'danger' : 'primary'} isSubmit isBusy={isBusy} whyNot={whyNot}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
