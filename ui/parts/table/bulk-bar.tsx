import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useKeys } from '../keys/use-keys.ts'
import styles from './bulk-bar.module.css'
import { BULK_LIMIT } from './bulk-selection.ts'
import type { BulkSelection } from './use-bulk.ts'

interface BulkBarProps {
  readonly bulk: BulkSelection
  /** Buttons of what can be done with the selected rows; each says how many they are. */
  readonly children: ReactNode
}

/** What can be done with the selected rows; nothing without any. */
export function BulkBar({ bulk, children }: BulkBarProps) {
  const count = bulk.selected.size
  useKeys(count === 0 ? [] : [{ keys: 'Escape', label: text.bulk.clear, run: bulk.clear }])
  return (
    <>
      <span className="unseen" role="status">
        {count === 0 ? '' : text.bulk.selected(count)}
      </span>
      {count === 0 ? undefined : (
        <div className={styles['bar']} role="group" aria-label={text.bulk.label}>
          <b className="num">{text.bulk.selected(count)}</b>
          {count < BULK_LIMIT ? undefined : <span className="faint">{text.bulk.full(BULK_LIMIT)}</span>}
          <span className="grow" />
          {children}
          <Button kind="quiet" onClick={bulk.clear}>
            {text.bulk.clear}
          </Button>
        </div>
      )}
    </>
  )
}
