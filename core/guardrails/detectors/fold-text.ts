/** A text in which equal-looking characters are equal, and the way back to the original. */
export interface FoldedText {
  readonly text: string
  /** Offset in the original text. */
  toRaw(offset: number): number
  /** First offset in the folded text at or after an offset of the original. */
  fromRaw(offset: number): number
}

const ascii = /^[\0-\x7f]*$/

// Invisible: soft hyphen, joiners, zero width, directions, variation selectors, fillers.
const invisible: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
]

// Zeros of the decimal digits of other scripts; ten follow each other.
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810,
]

/**
 * Folds a text: invisible characters are removed, full-width forms, spaces, dashes and digits of other scripts become ASCII. Letters that
 * only look alike (homoglyphs) and styled letters outside the basic plane are not folded.
 */
export function foldText(raw: string): FoldedText {
  if (ascii.test(raw)) return { text: raw, toRaw: same, fromRaw: same }
  const offsets: number[] = []
  let text = ''
  for (let index = 0; index < raw.length; index++) {
    const folded = foldUnit(raw.charCodeAt(index))
    if (folded === undefined) continue
    offsets.push(index)
    text += String.fromCharCode(folded)
  }
  return {
    text,
    toRaw: (offset) => offsets[offset] ?? raw.length,
    fromRaw: (offset) => lowerBound(offsets, offset),
  }
}

function same(offset: number): number {
  return offset
}

function foldUnit(unit: number): number | undefined {
  if (unit < 0x80) return unit
  if (invisible.some(([from, to]) => unit >= from && unit <= to)) return undefined
  if (unit >= 0xff01 && unit <= 0xff5e) return unit - 0xfee0
  if (unit === 0xa0 || unit === 0x3000 || unit === 0x202f || (unit >= 0x2000 && unit <= 0x200a)) return 0x20
  if ((unit >= 0x2010 && unit <= 0x2015) || unit === 0x2212 || unit === 0xfe58 || unit === 0xfe63) return 0x2d
  const zero = zeros.find((one) => unit >= one && unit < one + 10)
  return zero === undefined ? unit : unit - zero + 0x30
}

function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
