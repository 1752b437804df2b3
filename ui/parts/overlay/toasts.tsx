import { useEffect, useState } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { Icon } from '../icon/icon.tsx'
import { toneClass } from '../status/tones.ts'
import { closeToast, useToasts } from './toast-store.ts'
import type { ToastMessage } from './toast-store.ts'
import styles from './toasts.module.css'

const SHOWN_MS = 5000
const UNDO_MS = 8000

/** The toasts of the page. */
export function Toasts() {
  const toasts = useToasts()
  return (
    <div role="status" className={styles['stack']}>
      {toasts.map((toast) => (
        <Toast key={toast.id} toast={toast} onClose={() => closeToast(toast.id)} />
      ))}
    </div>
  )
}

/** One toast. It stays while the pointer or the focus is on it. */
export function Toast({ toast, onClose }: { readonly toast: ToastMessage; readonly onClose: () => void }) {
  const { kind, message, onUndo } = toast
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld || kind === 'failed') return
    const timer = setTimeout(onClose, onUndo === undefined ? SHOWN_MS : UNDO_MS)
    return () => clearTimeout(timer)
  }, [isHeld, kind, onUndo, onClose])
  const undo = (): void => {
    onUndo?.()
    onClose()
  }
  return (
    <div
      className={`${styles['toast']} ${toneClass(kind === 'done' ? 'ok' : 'bad')}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={kind === 'done' ? 'check' : 'alert'} />
      <span className="grow user-text" dir="auto">
        {message}
      </span>
      {onUndo === undefined ? undefined : (
        <Button isSmall onClick={undo}>
          {text.toast.undo}
        </Button>
      )}
      <Button isSmall kind="quiet" icon="close" aria-label={text.toast.close} onClick={onClose} />
    </div>
  )
}
