import { useEffect, useRef, useState } from 'react'
import { text } from '../../text/en.ts'
import { ConfirmDialog } from '../overlay/confirm-dialog.tsx'
import { showToast } from '../overlay/toast-store.ts'
import { Notice } from '../page/notice.tsx'
import { actOnEach } from './act-on-each.ts'
import type { BulkFailures, BulkItem } from './act-on-each.ts'
import styles from './bulk-dialog.module.css'

interface BulkDialogProps {
  /** What is asked, with the number of items. */
  readonly title: string
  readonly effects: readonly string[]
  /** The words of the button. */
  readonly action: string
  readonly items: readonly BulkItem[]
  readonly act: (key: string) => Promise<unknown>
  /** Called when the action has ended: with the keys for which it is still to be done. */
  readonly onEnded: (left: readonly string[]) => void
  /** The result in words, for a number of items. */
  readonly doneWords: (count: number) => string
  readonly onClose: () => void
}

/** Asks before an action on several rows, counts while it goes on, and names those that failed. Closing it begins no further one. */
export function BulkDialog(props: BulkDialogProps) {
  const { title, effects, action, items, act, onEnded, doneWords, onClose } = props
  // Rows that leave the selection meanwhile are still counted.
  const [acted, setActed] = useState(items)
  const [progress, setProgress] = useState<number>()
  const [failed, setFailed] = useState<BulkFailures>(new Map())
  const gone = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    gone.current = controller
    return () => controller.abort()
  }, [])
  const run = async (): Promise<void> => {
    const { signal } = gone.current
    setFailed(new Map())
    setProgress(0)
    const ended = await actOnEach(acted, { act, onProgress: setProgress, signal })
    onEnded(acted.map(({ key }) => key).filter((key) => !ended.done.has(key)))
    if (ended.done.size > 0) showToast({ kind: 'done', message: doneWords(ended.done.size) })
    if (signal.aborted) return
    if (ended.failed.size === 0) return onClose()
    setProgress(undefined)
    setFailed(ended.failed)
    setActed(acted.filter(({ key }) => ended.failed.has(key)))
  }
  return (
    <ConfirmDialog
      title={title}
      effects={effects}
      action={failed.size === 0 ? action : text.bulk.again(failed.size)}
      isDanger
      isBusy={progress !== undefined}
      onConfirm={() => {
        run().catch(() => setProgress(undefined))
      }}
      onClose={onClose}
    >
      {progress === undefined ? undefined : <BulkProgress done={progress} of={acted.length} />}
      {failed.size === 0 ? undefined : <BulkFailureList items={acted} failed={failed} />}
    </ConfirmDialog>
  )
}

/** How many of the rows are done. */
export function BulkProgress({ done, of }: { readonly done: number; readonly of: number }) {
  return (
    <div className={styles['progress']} role="status">
      <span className="num">{text.bulk.progress(done, of)}</span>
      <span className={styles['track']} aria-hidden="true">
        <i style={{ width: `${of === 0 ? 0 : (done / of) * 100}%` }} />
      </span>
    </div>
  )
}

interface BulkFailureListProps {
  readonly items: readonly BulkItem[]
  readonly failed: BulkFailures
}

/** Those rows for which an action failed, each with its reason. */
export function BulkFailureList({ items, failed }: BulkFailureListProps) {
  return (
    <div role="alert">
      <Notice tone="bad" title={text.bulk.failed(failed.size)}>
        <ul className={styles['reasons']} tabIndex={0} aria-label={text.bulk.failed(failed.size)}>
          {items
            .filter(({ key }) => failed.has(key))
            .map(({ key, name }) => (
              <li key={key}>
                <b dir="auto">{name}</b> <span dir="auto">{failed.get(key)}</span>
              </li>
            ))}
        </ul>
      </Notice>
    </div>
  )
}
