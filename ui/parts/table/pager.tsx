import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useKeys } from '../keys/use-keys.ts'
import styles from './pager.module.css'

interface PagerProps {
  /** What keeps the rows, and their order: "Kept for 90 days, newest first". */
  readonly note: string
  /** Absent on the first page. */
  readonly onNewer: (() => void) | undefined
  /** Absent on the last page. */
  readonly onOlder: (() => void) | undefined
}

/** The pages of a list by cursors: there are no numbers and no total. */
export function Pager({ note, onNewer, onOlder }: PagerProps) {
  useKeys([
    { keys: '[', label: text.pager.newer, run: () => onNewer?.() },
    { keys: ']', label: text.pager.older, run: () => onOlder?.() },
  ])
  return (
    <nav className={styles['pager']} aria-label={text.pager.label}>
      <span className="grow">{note}</span>
      <Button icon="back" onClick={onNewer} whyNot={onNewer === undefined ? text.pager.isFirst : undefined}>
        {text.pager.newer}
      </Button>
      <Button
        icon="forward"
        isIconLast
        onClick={onOlder}
        whyNot={onOlder === undefined ? text.pager.isLast : undefined}
      >
        {text.pager.older}
      </Button>
    </nav>
  )
}
