import { lookAlikeOf } from './look-alikes.ts'

/**
 * How characters are read. `exact`: as they are. `shapes`: for keys and numbers, whose characters are those of ASCII. `words`: for words of any
 * language, in which a letter with its mark is another letter.
 */
export type Letters = 'exact' | 'shapes' | 'words'

/** Result of reading a character. */
export interface FoldedCharacter {
  /** Empty for an invisible character. */
  readonly text: string
  readonly isSpace: boolean
  /** Whether it is a mark on the character before it. */
  readonly isMark: boolean
  /** Whether it is more than another form of the same letter. */
  readonly isOther: boolean
  /** Part of a word: with a letter of the Latin script, or another one. */
  readonly word: 'latin' | 'other' | undefined
  /** The character it looks like in a word with Latin letters. */
  readonly alike: string | undefined
}

// Default ignorable characters, controls other than white space, halves of characters, and fillers that are shown as nothing.
const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Cs}\u{2800}\u{FFF9}-\u{FFFB}]$|^(?!\s)[\p{Cc}\p{Cf}]$/u
// Vowels, hamza and the stretch of Arabic, which its writers may leave out.
const optional = /^[\u0640\u064B-\u0655\u0670]$/
const alef = /^[\u0622\u0623\u0625\u0671]$/
const dash = /^[\p{Pd}\u2212\u2043\u02D7\u00AD]$/u
const decimal = /^\p{Nd}$/u
const latinWithMark = /^[A-Za-z]\p{M}+$/u
const lettersWithMarks = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u
const ascii = /^[\x21-\x7e]$/
const ligature = /^[A-Za-z]{2,3}$/

// The folding of a character never changes, and texts use few characters.
const MAX_KNOWN = 20_000
const known = { shapes: new Map<number, FoldedCharacter>(), words: new Map<number, FoldedCharacter>() }

/** Returns how the character of a code point is read. */
export function foldCharacter(code: number, letters: Exclude<Letters, 'exact'>): FoldedCharacter {
  const found = known[letters].get(code)
  if (found !== undefined) return found
  const folded = describe(String.fromCodePoint(code), letters)
  if (known[letters].size < MAX_KNOWN) known[letters].set(code, folded)
  return folded
}

/** Whether a mark is read. On a character of ASCII it is not, unless both are a letter of a language. */
export function keepsMark(before: string, character: string, letters: Exclude<Letters, 'exact'>): boolean {
  if (before > '\x7e') return true
  return (
    /^[A-Za-z]$/.test(before) && letters === 'words' && Array.from((before + character).normalize('NFC')).length === 1
  )
}

function describe(character: string, letters: Exclude<Letters, 'exact'>): FoldedCharacter {
  const text = fold(character, letters)
  const isSpace = /^\s/.test(text)
  const isLatin = /^[A-Za-z]/.test(text) || /^\p{Script=Latin}/u.test(text)
  return {
    text,
    isSpace,
    isMark: /^\p{M}$/u.test(text),
    isOther: text !== character && !isSpace && text !== character.normalize('NFD'),
    word: isLatin ? 'latin' : text === '' || /^[\p{L}\p{M}\p{N}_]/u.test(text) ? 'other' : undefined,
    alike: letters === 'words' ? lookAlikeOf(character) : undefined,
  }
}

function fold(character: string, letters: Exclude<Letters, 'exact'>): string {
  if (/^[\t\n\r\x20-\x7e]$/.test(character)) return character
  if (invisible.test(character) || optional.test(character)) return ''
  const code = character.codePointAt(0) ?? 0
  if (/^\s$/u.test(character)) return ' '
  if (alef.test(character)) return '\u0627'
  if (dash.test(character)) return '-'
  if (decimal.test(character)) return String(digitOf(code))
  // Letters in a disk, a square or parentheses, which normalization keeps.
  if ((code >= 0x1f150 && code <= 0x1f169) || (code >= 0x1f170 && code <= 0x1f189))
    return String.fromCharCode(0x41 + ((code - 0x1f150) % 0x20))
  if (code >= 0x249c && code <= 0x24b5) return String.fromCharCode(0x61 + code - 0x249c)
  if (code >= 0x1f110 && code <= 0x1f129) return String.fromCharCode(0x41 + code - 0x1f110)
  const compatible = character.normalize('NFKC')
  if (ascii.test(compatible) || (ligature.test(compatible) && /^\p{L}$/u.test(character))) return compatible
  return withoutMarks(character, letters)
}

function withoutMarks(character: string, letters: Exclude<Letters, 'exact'>): string {
  const alike = letters === 'shapes' ? lookAlikeOf(character) : undefined
  if (alike !== undefined) return alike
  if (!lettersWithMarks.test(character)) return character
  const parts = character.normalize('NFD')
  return letters === 'shapes' && latinWithMark.test(parts) ? (parts[0] ?? character) : parts
}

// The ten digits of a script follow each other.
function digitOf(code: number): number {
  let zero = code
  while (decimal.test(String.fromCodePoint(zero - 1))) zero--
  return (code - zero) % 10
}
