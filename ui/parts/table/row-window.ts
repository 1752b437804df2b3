/** The rows of a long list that are in the document. */
export interface RowWindow {
  readonly first: number
  /** The row after the last one. */
  readonly end: number
}

/** What is known of the scrolled box. */
export interface ScrolledBox {
  readonly scrollTop: number
  readonly height: number
  readonly rowHeight: number
}

const SPARE = 8

/** The rows in view of a list whose rows have one height, with some above and below. */
export function rowsInView(count: number, { scrollTop, height, rowHeight }: ScrolledBox): RowWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - SPARE
  const shown = Math.ceil(height / rowHeight) + 2 * SPARE
  const start = Math.max(0, Math.min(first, count - shown))
  return { first: start, end: Math.min(count, start + shown) }
}

/** Where to scroll so that a row is seen; undefined if it is. */
export function scrollToRow(row: number, { scrollTop, height, rowHeight }: ScrolledBox): number | undefined {
  const top = row * rowHeight
  if (top < scrollTop) return top
  const bottom = top + rowHeight
  return bottom > scrollTop + height ? bottom - height : undefined
}

/** Where to scroll so that a row is in the middle. */
export function scrollToMiddle(row: number, { height, rowHeight }: ScrolledBox): number {
  return Math.max(0, row * rowHeight - (height - rowHeight) / 2)
}
