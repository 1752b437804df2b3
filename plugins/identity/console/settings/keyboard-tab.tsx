import { Fragment } from 'react'
import { Key } from '#ui/parts/control/button.tsx'
import { useBindings, useLetters } from '#ui/parts/keys/key-registry.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { Facts } from './facts.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'

const { keyboard: text } = settingsText

/** The keys that act, and the switch for single letters. */
export function KeyboardTab() {
  const [areLettersOn, switchLetters] = useLetters()
  const bindings = [...new Map(useBindings().map((one) => [one.keys, one])).values()]
  return (
    <Card title={text.title}>
      <label className={styles['switch']}>
        <input type="checkbox" checked={areLettersOn} onChange={({ target }) => switchLetters(target.checked)} />
        <span>
          {text.letters} <span className="faint">{text.lettersHint}</span>
        </span>
      </label>
      <Facts facts={bindings.map(({ keys, label }) => [label, <KeyNames key={keys} keys={keys} />])} />
    </Card>
  )
}

function KeyNames({ keys }: { readonly keys: string }) {
  return keys.split(' ').map((key, index) => (
    <Fragment key={key}>
      {index === 0 ? undefined : <span className="faint"> {text.after} </span>}
      <Key>{key.replace('+', ' ')}</Key>
    </Fragment>
  ))
}
