import type { KeyboardEvent } from 'react'
import { Icon } from '../icon/icon.tsx'
import type { IconName } from '../icon/icons.ts'
import styles from './segmented.module.css'

/** One choice of a group. */
export interface SegmentOption<Value extends string> {
  readonly value: Value
  readonly label: string
  readonly icon?: IconName
}

interface SegmentedProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string
  readonly value: Value
  /** At most five. */
  readonly options: readonly SegmentOption<Value>[]
  readonly onChange: (value: Value) => void
}

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** One of a few views or states. Not for actions. */
export function Segmented<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = options.findIndex((option) => option.value === value)
    const next = options[(at + step + options.length) % options.length]
    if (next === undefined) return
    onChange(next.value)
    event.currentTarget.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus()
  }
  // Of a group in which nothing is chosen, the first one has the focus.
  const focused = options.some((option) => option.value === value) ? value : options[0]?.value
  return (
    <div className={styles['group']} role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          className={styles['option']}
          data-value={option.value}
          aria-checked={option.value === value}
          tabIndex={option.value === focused ? 0 : -1}
          onClick={() => onChange(option.value)}
        >
          {option.icon === undefined ? undefined : <Icon name={option.icon} size={14} />}
          {option.label}
        </button>
      ))}
    </div>
  )
}
