import type { ReactNode } from 'react'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import styles from './filter-bar.module.css'

interface FilterBarProps {
  /** How many filters are set; from two on they can be cleared at once. */
  readonly setCount: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** The filters of a list: search, states, facets. */
export function FilterBar({ setCount, onClear, children }: FilterBarProps) {
  return (
    <div className={styles['bar']} role="search" aria-label={text.filter.bar}>
      {children}
      {setCount < 2 ? undefined : (
        <Button kind="quiet" onClick={onClear}>
          {text.filter.clear}
        </Button>
      )}
    </div>
  )
}
