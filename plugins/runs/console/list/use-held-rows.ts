import { useRef, useState } from 'react'
import type { UIEvent } from 'react'
import { holdRows } from './held-rows.ts'

interface HeldTable<Row> {
  readonly rows: readonly Row[] | undefined
  readonly waiting: number
  /** Of an element around the table. */
  readonly onScrollCapture: (event: UIEvent) => void
  /** Shows the rows that wait. */
  readonly showNew: () => void
}

/** From so many pixels on the list is being read. */
const READING_PX = 24

/** Rows that stay where they are while the table is scrolled. `list` names the list: another one is not held. */
export function useHeldRows<Row extends { readonly id: string }>(
  fresh: readonly Row[] | undefined,
  list: string,
): HeldTable<Row> {
  const [held, setHeld] = useState<{ readonly list: string; readonly rows: readonly Row[] }>()
  const box = useRef<Element>(null)
  const onScrollCapture = ({ target }: UIEvent): void => {
    if (!(target instanceof Element)) return
    box.current = target
    const isReading = target.scrollTop > READING_PX
    if (isReading && held?.list !== list && fresh !== undefined) setHeld({ list, rows: fresh })
    if (!isReading && held !== undefined) setHeld(undefined)
  }
  const showNew = (): void => {
    setHeld(undefined)
    if (box.current !== null) box.current.scrollTop = 0
  }
  const shared = { onScrollCapture, showNew }
  if (held?.list !== list || fresh === undefined) return { rows: fresh, waiting: 0, ...shared }
  return { ...holdRows(held.rows, fresh), ...shared }
}
