import { useState } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { ConfirmDialog } from '#ui/parts/overlay/confirm-dialog.tsx'
import type { ApprovalItem, PausedRun } from './items/approval-items.ts'
import styles from './approvals.module.css'
import { MOST_REJECTED, rejectAll } from './items/decide.ts'
import { approvalsText as text } from './items/text.ts'

interface RejectSelectedProps {
  readonly items: readonly ApprovalItem[]
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onRejected: (runs: readonly PausedRun[]) => void
}

/** What can be done with the selected decisions: reject them with one reason. There is no approval of several. */
export function RejectSelected({ items, onSelect, onRejected }: RejectSelectedProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className={styles['selected']}>
      <span className="grow">{text.bulk.selected(items.length)}</span>
      <Button isSmall kind="danger" icon="cross" onClick={() => setOpen(true)}>
        {text.bulk.reject}
      </Button>
      <Button isSmall kind="quiet" onClick={() => onSelect(new Set())}>
        {text.bulk.clear}
      </Button>
      {isOpen ? (
        <RejectDialog items={items} onSelect={onSelect} onRejected={onRejected} onClose={() => setOpen(false)} />
      ) : undefined}
    </div>
  )
}

function RejectDialog({
  items,
  onSelect,
  onRejected,
  onClose,
}: RejectSelectedProps & { readonly onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map())
  const [hasMissed, setMissed] = useState(false)
  const confirm = async (): Promise<void> => {
    setMissed(reason.trim() === '')
    if (reason.trim() === '') return
    setBusy(true)
    const done = await rejectAll(items, reason.trim())
    setBusy(false)
    setFailed(done.failed)
    onRejected(done.changed)
    // What failed stays selected, and so does what was over the limit.
    onSelect(new Set([...done.failed.keys(), ...items.slice(MOST_REJECTED).map(({ id }) => id)]))
    if (done.failed.size === 0) onClose()
  }
  return (
    <ConfirmDialog
      title={text.bulk.title(Math.min(items.length, MOST_REJECTED))}
      effects={[text.bulk.effect, ...(items.length > MOST_REJECTED ? [text.bulk.most(MOST_REJECTED)] : [])]}
      action={text.bulk.reject}
      isDanger
      isBusy={isBusy}
      onConfirm={() => {
        confirm().catch(() => setBusy(false))
      }}
      onClose={onClose}
    >
      <label className={styles['label']}>
        {text.reason}
        <input
          className={styles['field']}
          maxLength={1024}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
          {...(hasMissed ? { 'aria-invalid': true } : {})}
        />
      </label>
      {hasMissed ? <Notice tone="warn">{text.reasonNeeded}</Notice> : undefined}
      {failed.size === 0 ? undefined : (
        <Notice tone="bad" title={text.bulk.failed(failed.size)}>
          {[...new Set(failed.values())].join(' ')}
        </Notice>
      )}
    </ConfirmDialog>
  )
}
