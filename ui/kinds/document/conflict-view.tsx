import { Button } from '../../parts/control/button.tsx'
import { Diff } from '../../parts/document/diff.tsx'
import { Notice } from '../../parts/page/notice.tsx'
import { kindText as text } from '../../text/kinds.ts'
import styles from './document.module.css'

interface ConflictViewProps {
  /** The document when the edit began. */
  readonly base: string
  readonly mine: string
  readonly theirs: string
  readonly onPick: (pick: 'take' | 'keep' | 'edit') => void
}

/** Another person changed the object meanwhile: theirs beside mine, what they changed, and what can be done. */
export function ConflictView({ base, mine, theirs, onPick }: ConflictViewProps) {
  const { conflict } = text
  return (
    <div className={styles['conflict']} role="alert">
      <Notice tone="warn" title={conflict.title}>
        {conflict.detail}
      </Notice>
      <div className={styles['actions']}>
        <Button kind="primary" onClick={() => onPick('keep')}>
          {conflict.keep}
        </Button>
        <Button onClick={() => onPick('take')}>{conflict.take}</Button>
        <Button onClick={() => onPick('edit')}>{conflict.edit}</Button>
      </div>
      <Diff title={conflict.ours} before={theirs} after={mine} labels={[conflict.theirs, text.mine]} />
      <Diff title={conflict.changed} before={base} after={theirs} labels={[conflict.base, conflict.theirs]} />
    </div>
  )
}
