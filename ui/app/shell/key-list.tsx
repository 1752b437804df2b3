import { Fragment } from 'react'
import { Key } from '../../parts/control/button.tsx'
import { useBindings, useLetters } from '../../parts/keys/key-registry.ts'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { text } from '../../text/en.ts'
import styles from './key-list.module.css'

/** The keys that act on this page, and the switch for single letters. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const bindings = useBindings()
  const [areLettersOn, switchLetters] = useLetters()
  // The binding that was registered last acts.
  const shown = [...new Map(bindings.map((one) => [one.keys, one])).values()]
  return (
    <Dialog title={text.keys.title} onClose={onClose}>
      <ul className={styles['list']}>
        {shown.map(({ keys, label }) => (
          <li key={keys} className={styles['row']}>
            <span className="grow">{label}</span>
            {keys.split(' ').map((key, index) => (
              <Fragment key={key}>
                {index === 0 ? undefined : <span className="faint">{text.keys.after}</span>}
                <Key>{key.replace('+', ' ')}</Key>
              </Fragment>
            ))}
          </li>
        ))}
      </ul>
      <label className={styles['switch']}>
        <input type="checkbox" checked={areLettersOn} onChange={({ target }) => switchLetters(target.checked)} />
        <span>
          {text.keys.letters}
          <br />
          <span className="faint">{text.keys.lettersHint}</span>
        </span>
      </label>
    </Dialog>
  )
}
