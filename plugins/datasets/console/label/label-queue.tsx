import { toPlainLine } from '../shared/shown-dataset.ts'
import type { ShownCase } from '../shared/shown-dataset.ts'
import { Icon } from '#ui/parts/icon/icon.tsx'
import { LabelTag } from '../cases/label-tags.tsx'
import { datasetsText } from '../shared/text.ts'
import styles from './label.module.css'
import { rowsAround } from './typed-label.ts'
import type { LabelWork } from './use-label-work.ts'

const text = datasetsText.work

interface LabelQueueProps {
  readonly work: LabelWork
  readonly cases: readonly ShownCase[]
}

/** The cases around the one that is shown, each with the label of this person. */
export function LabelQueue({ work: { shown, mine, go, hasMore }, cases }: LabelQueueProps) {
  const at = shown === undefined ? 0 : cases.indexOf(shown)
  const all = `${cases.length}${hasMore ? '+' : ''}`
  return (
    <div className={styles['side']}>
      {cases.length === 0 ? undefined : (
        <p className={`num ${styles['count']}`}>{shown === undefined ? all : text.of(at + 1, all)}</p>
      )}
      <ul className={styles['queue']} aria-label={text.queue}>
        {rowsAround(cases, at).map((one) => (
          <QueueRow key={one.id} one={one} label={mine(one)} isShown={one === shown} onGo={() => go(one.id)} />
        ))}
      </ul>
    </div>
  )
}

interface QueueRowProps {
  readonly one: ShownCase
  readonly label: ReturnType<LabelWork['mine']>
  readonly isShown: boolean
  readonly onGo: () => void
}

function QueueRow({ one, label, isShown, onGo }: QueueRowProps) {
  return (
    <li>
      <button type="button" aria-current={isShown} onClick={onGo}>
        <span className="clip" dir="auto">
          {toPlainLine(one.input)}
        </span>
        <span className={styles['said']}>
          {label === undefined ? (
            <span className={`mono clip ${styles['id']}`}>{one.id}</span>
          ) : (
            <>
              <Icon name="check" size={12} />
              <LabelTag label={label} />
            </>
          )}
        </span>
      </button>
    </li>
  )
}

/** Shown while the cases are loading. */
export function LabelSkeleton() {
  return (
    <div className={`${styles['inbox']} ${styles['waiting']}`} aria-busy>
      <div className={styles['side']}>
        {[0, 1, 2, 3, 4].map((row) => (
          <div key={row} className={styles['bone']} />
        ))}
      </div>
    </div>
  )
}
