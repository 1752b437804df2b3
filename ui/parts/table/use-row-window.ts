import { useCallback, useState } from 'react'
import { rowsInView } from './row-window.ts'
import type { RowWindow, ScrolledBox } from './row-window.ts'

/** Before the box is measured: as much as a high window shows, so that the first paint has all rows. */
const FIRST_HEIGHT = 1200

/** The rows of a list that are in the document, and a ref for the box that scrolls. */
export function useRowWindow(
  count: number,
  rowHeight: number,
  initialTop = 0,
): readonly [RowWindow, (box: HTMLElement | null) => (() => void) | undefined] {
  const [shown, setShown] = useState<ScrolledBox>({ scrollTop: initialTop, height: FIRST_HEIGHT, rowHeight })
  const attach = useCallback(
    (box: HTMLElement | null) => {
      if (box === null) return undefined
      if (initialTop > 0) box.scrollTop = initialTop
      const measure = (): void => setShown((was) => next(was, box, rowHeight))
      const size = new ResizeObserver(measure)
      size.observe(box)
      box.addEventListener('scroll', measure, { passive: true })
      return () => {
        size.disconnect()
        box.removeEventListener('scroll', measure)
      }
    },
    [rowHeight, initialTop],
  )
  return [rowsInView(count, shown), attach]
}

// The same object as long as no row enters or leaves, so that most frames of a scroll render nothing.
function next(was: ScrolledBox, box: HTMLElement, rowHeight: number): ScrolledBox {
  const now = { scrollTop: box.scrollTop, height: box.clientHeight, rowHeight }
  const isSame =
    was.rowHeight === rowHeight &&
    was.height === now.height &&
    Math.floor(was.scrollTop / rowHeight) === Math.floor(now.scrollTop / rowHeight)
  return isSame ? was : now
}
