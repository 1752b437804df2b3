import { useId, useLayoutEffect, useRef } from 'react'
import type { MouseEvent, ReactNode } from 'react'
import styles from './dialog.module.css'

interface DialogProps {
  /** Its heading; unseen if `isTitled` is false. */
  readonly title: string
  readonly isTitled?: boolean
  readonly isWide?: boolean
  /** As wide as the window allows, for two documents side by side. */
  readonly isBroad?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A modal dialog, open as long as it is mounted. The browser keeps the focus in it and returns it; Esc and a click outside close it. */
export function Dialog({ title, isTitled = true, isWide = false, isBroad = false, onClose, children }: DialogProps) {
  const id = useId()
  const box = useRef<HTMLDialogElement>(null)
  // Closed while it is still in the document: the browser returns the focus only then.
  useLayoutEffect(() => {
    const dialog = box.current
    if (dialog === null) return
    dialog.showModal()
    return () => dialog.close()
  }, [])
  const closeOutside = (event: MouseEvent): void => {
    if (event.target === box.current) onClose()
  }
  return (
    <dialog
      ref={box}
      className={`${styles['dialog']} ${isWide ? `${styles['wide']} ${styles['high']}` : ''} ${isBroad ? styles['broad'] : ''}`}
      {...(isTitled ? { 'aria-labelledby': id } : { 'aria-label': title })}
      onCancel={(event) => {
        // React unmounts it; closed by the browser it would stay in the tree.
        event.preventDefault()
        onClose()
      }}
      onMouseDown={closeOutside}
    >
      {isTitled ? (
        <div className={styles['body']}>
          <h2 id={id} className={styles['title']}>
            {title}
          </h2>
          {children}
        </div>
      ) : (
        children
      )}
    </dialog>
  )
}
