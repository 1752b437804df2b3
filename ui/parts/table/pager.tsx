import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useKeys } from '../keys/use-keys.ts'
import styles from './pager.module.css'

interface PagerProps {
  /** What keeps the rows, and their order: "Kept for 90 days, newest first". */
  readonly note: string
  /** The order of the rows; default: newest first. */
  readonly order?: 'newest' | 'other'
  /** Absent on the first page. */
  readonly onNewer: (() => void) | undefined
  /** Absent on the last page. */
  readonly onOlder: (() => void) | undefined
}

/** The pages of a list by cursors: there are no numbers and no total. */
export function Pager({ note, order = 'newest', onNewer, onOlder }: PagerProps) {
  const { back, onward, isFirst, isLast } = text.pager[order]
  useKeys([
    { keys: '[', label: back, run: () => onNewer?.() },
    { keys: ']', label: onward, run: () => onOlder?.() },
  ])
  return (
    <nav className={styles['pager']} aria-label={text.pager.label}>
      <span className="grow">{note}</span>
      <Button icon="back" onClick={onNewer} whyNot={onNewer === undefined ? isFirst : undefined}>
        {back}
      </Button>
      <Button icon="forward" isIconLast onClick={onOlder} whyNot={onOlder === undefined ? isLast : undefined}>
        {onward}
      </Button>
    </nav>
  )
}
