import { useLayoutEffect, useRef, useState } from 'react'
import type { KeyboardEvent, MouseEvent, RefObject } from 'react'

interface RowKeyOptions {
  readonly count: number
  readonly onOpen?: ((index: number) => void) | undefined
  readonly onSelect?: ((index: number) => void) | undefined
  /** Selects the rows up to one: with Shift. */
  readonly onExtend?: ((index: number) => void) | undefined
  /** Brings a row into the document and into view. */
  readonly onReveal: (index: number) => void
}

/** What the body of a table handles, and the row that the Tab key reaches. */
export interface RowKeys {
  readonly at: number
  readonly body: RefObject<HTMLTableSectionElement | null>
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onClick: (event: MouseEvent) => void
}

/** The row that a key moves to; undefined for another key. */
export function targetOfKey(key: string, at: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    Home: 0,
    End: count - 1,
  }
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined
  return target === undefined ? undefined : Math.max(0, Math.min(count - 1, target))
}

/** Keys of the rows of a table: one tab stop; arrows or j and k move, Enter opens, Space selects, and with Shift a range. */
export function useRowKeys({ count, onOpen, onSelect, onExtend, onReveal }: RowKeyOptions): RowKeys {
  const [at, setAt] = useState(0)
  const body = useRef<HTMLTableSectionElement>(null)
  const isMoving = useRef(false)
  // Before the next key: it is of the row that has the focus.
  useLayoutEffect(() => {
    if (!isMoving.current) return
    const row = body.current?.querySelector<HTMLElement>(`tr[data-index="${at}"]`)
    // A row that has just been scrolled to is in the document after the next render.
    if (row === null || row === undefined) return
    isMoving.current = false
    row.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = indexOf(event.target)
    if (index === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const target = targetOfKey(event.key, index, count)
    if (target !== undefined) {
      isMoving.current = true
      onReveal(target)
      setAt(target)
      if (event.shiftKey) onExtend?.(target)
    } else if (event.key === 'Enter') onOpen?.(index)
    else if (event.key === ' ' && event.shiftKey && onExtend !== undefined) onExtend(index)
    else if (event.key === ' ') onSelect?.(index)
    else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent): void => {
    const row = event.target instanceof Element ? event.target.closest('tr') : null
    const index = indexOf(row)
    if (index !== undefined && isTickBox(event.target)) {
      setAt(index)
      row?.focus({ preventScroll: true })
      if (event.shiftKey && onExtend !== undefined) onExtend(index)
      else onSelect?.(index)
      return
    }
    // A link or a button in a row has its own meaning, and text may be selected.
    if (index === undefined || isControl(event.target) || getSelection()?.isCollapsed === false) return
    setAt(index)
    onOpen?.(index)
  }
  return { at: Math.min(at, Math.max(0, count - 1)), body, onKeyDown, onClick }
}

// Of the row itself: keys in a control of it are not those of the table.
function indexOf(target: EventTarget | null): number | undefined {
  const index = target instanceof HTMLTableRowElement ? target.dataset['index'] : undefined
  return index === undefined ? undefined : Number(index)
}

// Its label sends a second click, of the box itself.
function isTickBox(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'checkbox'
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, input, select, label') !== null
}
