import { useState } from 'react'
import { extendTo, nothingSelected, toggleRow } from './bulk-selection.ts'
import type { BulkState } from './bulk-selection.ts'

/** Rows that are selected for an action: Space, Shift or a tick box selects them. */
export interface BulkSelection {
  readonly selected: ReadonlySet<string>
  toggle(key: string): void
  /** Selects the rows up to one; `keys` are those of the list, in its order. */
  extend(key: string, keys: readonly string[]): void
  /** Selects exactly these, such as those that an action left undone. */
  keep(keys: Iterable<string>): void
  clear(): void
}

/** A selection for the `bulk` of a `DataTable` and its `BulkBar`. It ends when `list`, the name of what is listed, becomes another one. */
export function useBulk(list = ''): BulkSelection {
  const [{ of, ...kept }, set] = useState({ ...nothingSelected, of: list })
  const state = of === list ? kept : nothingSelected
  const change = (next: BulkState | ((was: BulkState) => BulkState)): void =>
    set((was) => {
      const known = was.of === list ? was : nothingSelected
      return { ...(typeof next === 'function' ? next(known) : next), of: list }
    })
  return {
    selected: state.selected,
    toggle: (key) => change((was) => toggleRow(was, key)),
    extend: (key, keys) => change((was) => extendTo(was, key, keys)),
    keep: (keys) => change({ selected: new Set(keys), anchor: undefined }),
    clear: () => change(nothingSelected),
  }
}
