import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { text } from '../../text/en.ts'
import { Icon } from '../icon/icon.tsx'
import { useKeys } from '../keys/use-keys.ts'
import styles from './search-field.module.css'

interface SearchFieldProps {
  /** What is searched, which is the placeholder, too. */
  readonly label: string
  readonly value: string
  /** Called when the typing pauses, and on Enter. */
  readonly onChange: (value: string) => void
}

const PAUSE_MS = 250

/** A filter by words. `/` focuses it, Esc empties it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  useKeys([{ keys: '/', label: text.keys.filter, run: () => input.current?.focus() }])
  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => {
      setTyped(undefined)
      if (typed !== value) onChange(typed)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onChange(typed ?? value)
    if (event.key !== 'Escape' || (typed ?? value) === '') return
    event.stopPropagation()
    setTyped('')
  }
  return (
    <label className={styles['field']}>
      <Icon name="search" size={14} stroke={2} />
      <span className="unseen">{label}</span>
      <input
        ref={input}
        type="search"
        placeholder={label}
        value={typed ?? value}
        maxLength={200}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={press}
      />
    </label>
  )
}
