import type { SumsPiece } from '../store/sums/sums.ts'

/** Widths of the rows of sums in seconds. Each divides the next, and a day. */
export const SUM_WIDTHS = [60, 300, 3600, 86_400] as const

/**
 * The fewest ranges of rows that make up a window of whole minutes. With a bin width only rows that lie within one bin are used. Pure.
 */
export function toPieces(from: number, to: number, binSeconds = 86_400): readonly SumsPiece[] {
  return cover(
    from,
    to,
    SUM_WIDTHS.filter((width) => binSeconds % width === 0),
  )
}

function cover(from: number, to: number, widths: readonly number[]): readonly SumsPiece[] {
  const width = widths.at(-1)
  if (from >= to || width === undefined) return []
  const narrower = widths.slice(0, -1)
  const [first, last] = [ceilTo(from, width), floorTo(to, width)]
  if (first >= last) return cover(from, to, narrower)
  return [...cover(from, first, narrower), { width, from: first, to: last }, ...cover(last, to, narrower)]
}

/** The last multiple of a width at or before a time. */
export function floorTo(seconds: number, width: number): number {
  return Math.floor(seconds / width) * width
}

/** The first multiple of a width at or after a time. */
export function ceilTo(seconds: number, width: number): number {
  return Math.ceil(seconds / width) * width
}
