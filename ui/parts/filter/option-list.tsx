import { useState } from 'react'
import { text } from '../../text/en.ts'
import { Icon } from '../icon/icon.tsx'
import styles from './filter-bar.module.css'

/** A value to choose. */
export interface ListOption {
  readonly value: string
  readonly label: string
}

interface OptionListProps {
  readonly label: string
  readonly options: readonly ListOption[]
  readonly value: string | undefined
  readonly onPick: (value: string) => void
}

/** From so many options on they can be searched. */
const SEARCHED = 8

/** Options of a facet or a picker; many can be searched. */
export function OptionList({ label, options, value, onPick }: OptionListProps) {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const shown = options.filter((option) => `${option.label} ${option.value}`.toLowerCase().includes(wanted))
  return (
    <>
      {options.length < SEARCHED ? undefined : (
        <input
          className={styles['find']}
          type="search"
          aria-label={text.filter.find(label)}
          placeholder={text.filter.find(label)}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      )}
      <div className={styles['options']}>
        {shown.map((option) => (
          <button
            key={option.value}
            type="button"
            className={styles['option']}
            aria-pressed={option.value === value}
            onClick={() => onPick(option.value)}
          >
            <span className="grow clip" dir="auto">
              {option.label}
            </span>
            {option.value === value ? <Icon name="check" size={14} /> : undefined}
          </button>
        ))}
        {shown.length === 0 ? <span className={styles['none']}>{text.filter.none}</span> : undefined}
      </div>
    </>
  )
}
