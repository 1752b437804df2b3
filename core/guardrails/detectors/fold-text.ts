/** A text in which equal-looking characters are equal, and the way back to the original. */
export interface FoldedText {
  readonly text: string
  /** Offset in the original text. */
  toRaw(offset: number): number
  /** First offset in the folded text at or after an offset of the original. */
  fromRaw(offset: number): number
}

const plain = /^[\t\n\r\x20-\x7e]*$/

// Default ignorable characters, controls other than white space, halves of characters, and fillers that are shown as nothing.
const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Cs}\u{2800}\u{FFF9}-\u{FFFB}]$|^(?!\s)[\p{Cc}\p{Cf}]$/u
const dash = /^[\p{Pd}\u2212\u2043\u02D7\u00AD]$/u
const decimal = /^\p{Nd}$/u

const GONE = -1

/**
 * Folds a text: invisible characters are removed; spaces, dashes, digits of other scripts, and full-width, small and styled forms become ASCII.
 * Letters of other scripts that only look alike (homoglyphs) are not folded.
 */
export function foldText(raw: string): FoldedText {
  if (plain.test(raw)) return { text: raw, toRaw: same, fromRaw: same }
  const offsets: number[] = []
  let text = ''
  let index = 0
  for (const character of raw) {
    const folded = foldOf(character)
    if (folded !== GONE) {
      for (let unit = 0; unit < (folded > 0xffff ? 2 : 1); unit++) offsets.push(index + unit)
      text += String.fromCodePoint(folded)
    }
    index += character.length
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

// What a character folds to never changes, and texts use few of them.
const MOST_KNOWN = 20_000
const known = new Map<string, number>()

function foldOf(character: string): number {
  const unit = character.charCodeAt(0)
  if (unit >= 0x20 && unit < 0x7f) return unit
  const found = known.get(character)
  if (found !== undefined) return found
  const folded = fold(character)
  if (known.size < MOST_KNOWN) known.set(character, folded)
  return folded
}

function fold(character: string): number {
  if (invisible.test(character)) return GONE
  const code = character.codePointAt(0) ?? 0
  if (/^\s$/u.test(character)) return character === '\n' || character === '\r' || character === '\t' ? code : 0x20
  if (dash.test(character)) return 0x2d
  if (decimal.test(character)) return 0x30 + digitOf(code)
  const compatible = character.normalize('NFKC')
  return /^[\x21-\x7e]$/.test(compatible) ? compatible.charCodeAt(0) : code
}

// The ten digits of a script follow each other.
function digitOf(code: number): number {
  let zero = code
  while (decimal.test(String.fromCodePoint(zero - 1))) zero--
  return (code - zero) % 10
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
