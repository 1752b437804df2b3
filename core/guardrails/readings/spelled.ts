/** A text that is written character by character, with the same separator between them: `s-n-o-w`. */
export interface SpelledText {
  readonly separator: string
}

/** The next character of a spelled text. */
export interface SpelledCharacter {
  /** Length of the separator and spaces before it. */
  readonly gap: number
  /** Whether it starts another word. */
  readonly isWord: boolean
}

const letter = 'A-Za-z0-9\\u00c0-\\u02af\\u0370-\\u1fff\\u3041-\\u9fff'
// White space, punctuation, symbols and pictures. Numbers between commas are a list.
const separator =
  '[!-+\\-./:-@[-`{-~\\s\\u00a1-\\u00bf\\u200b-\\u206f\\u2190-\\u2bff\\u3001-\\u303f\\ufe0f\\ud83c-\\ud83e\\udc00-\\udfff]'
const unit = '[^\\s,\\ud800-\\udfff]'
const LONGEST_SEPARATOR = 4
const LONGEST_SPACE = 3
const LONGEST_GAP = 2 * LONGEST_SEPARATOR + LONGEST_SPACE
/** Number of characters needed to find the next one. */
const NEEDED = LONGEST_GAP + 2

/** The beginning of a spelled text: five characters, of which the first is a letter, a digit or a plus. Group `separator`. */
export const spelledStart = `(?<![${letter}])[${letter}+](?<separator>${separator}{1,${LONGEST_SEPARATOR}})(?:${unit}\\k<separator>(?:[ \\t]{1,${LONGEST_SPACE}}(?:\\k<separator>)?)?){3}${unit}(?![${letter}])`
const LONGEST_BEGIN = 5 + 5 * LONGEST_GAP
/** The same, possibly incomplete at the end of the text so far. Each character can match in one way only, so that the time is linear. */
export const spelledEnd = `(?<![${letter}])[${letter}+](?![${letter}])(?:[^${letter},]|[${letter}](?![${letter}])){0,${LONGEST_BEGIN}}`

const isLetter = new RegExp(`[${letter}]`)
const isUnit = new RegExp(unit)

/** Returns the character after `at`; undefined where the spelled text ends, `waits` if that is not known yet. */
export function nextSpelled(
  { separator: between }: SpelledText,
  text: string,
  at: number,
  isEnd: boolean,
): SpelledCharacter | 'waits' | undefined {
  if (!isEnd && text.length - at < NEEDED) return 'waits'
  const isSeparated = text.startsWith(between, at)
  let to = isSeparated ? at + between.length : at
  const first = to
  const isNext = (): boolean => isSeparated && between.trim() !== '' && text.startsWith(between, to)
  while (to - first < LONGEST_SPACE && (text[to] === ' ' || text[to] === '\t') && !(to > first && isNext())) to++
  const isWord = to > first
  if (isWord && isNext()) to += between.length
  if (!isSeparated && !isWord) return undefined
  if (!isUnit.test(text.charAt(to)) || isLetter.test(text.charAt(to + 1))) return undefined
  // Every word of a spelled text is spelled.
  if (!isSeparated && !text.startsWith(between, to + 1)) return undefined
  return { gap: to - at, isWord }
}
