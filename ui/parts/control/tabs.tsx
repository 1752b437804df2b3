import { useId } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import styles from './tabs.module.css'

/** A tab, by its value in the address. */
export interface TabOption<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface TabsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly TabOption<Value>[]
  readonly onChange: (value: Value) => void
  /** The panel takes the height that the page leaves. */
  readonly isTall?: boolean
  /** The panel of the tab. */
  readonly children: ReactNode
}

const targets: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  Home: () => 0,
  End: (_, last) => last,
}

/** Tabs with the panel of the one that is shown. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, options, onChange, isTall = false, children } = props
  const id = useId()
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    const at = options.findIndex((option) => option.value === value)
    const next = options[targets[event.key]?.(at, options.length - 1) ?? -1]
    if (next === undefined) return
    event.preventDefault()
    onChange(next.value)
    document.getElementById(`${id}-${next.value}`)?.focus()
  }
  return (
    <>
      <div className={styles['tabs']} role="tablist" aria-label={label} onKeyDown={move}>
        {options.map((option) => (
          <button
            key={option.value}
            id={`${id}-${option.value}`}
            type="button"
            role="tab"
            className={styles['tab']}
            aria-selected={option.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={option.value === value ? 0 : -1}
            onClick={() => onChange(option.value)}
          >
            {option.label}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${value}`}
        {...(isTall ? { className: styles['tall'] } : {})}
      >
        {children}
      </div>
    </>
  )
}
