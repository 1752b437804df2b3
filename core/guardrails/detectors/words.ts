import type { Detector, Match } from './detector.ts'
import { foldText } from '../readings/fold-text.ts'

/** Maximum number of characters between two words of a phrase, other than letters and digits. Longer gaps are shortened beforehand. */
const maxGap = 32

const token = /[\p{L}\p{M}\p{N}_]+/gu
// Scripts without spaces between words.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * Finds phrases as whole words, ignoring case. The time does not depend on their number: words of the text are looked up. Phrases in scripts
 * without spaces are found anywhere.
 */
export function wordDetector(phrases: readonly string[]): Detector {
  const folded = phrases.map((phrase) => lower(foldText(phrase)))
  const spaced = byFirstWord(folded.filter((phrase) => !unspaced.test(phrase)))
  const anywhere = folded.filter((phrase) => unspaced.test(phrase))
  return {
    // A word is looked up as a whole, so its end must be seen.
    longest: Math.max(...folded.map(longestOf)) + 1,
    letters: 'words',
    find(text, from, to) {
      const lowered = lower(text)
      const found = [...phrasesIn(lowered, spaced, from, to), ...substringsIn(lowered, anywhere, from, to)]
      return anywhere.length === 0 ? found : found.sort((a, b) => a.start - b.start)
    },
  }
}

function longestOf(phrase: string): number {
  return phrase.length + maxGap * (phrase.match(token)?.length ?? 1)
}

function byFirstWord(phrases: readonly string[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const known = new Map<string, (readonly string[])[]>()
  for (const phrase of phrases) {
    const words = phrase.match(token) ?? []
    const [first] = words
    if (first === undefined) continue
    known.set(first, [...(known.get(first) ?? []), words])
  }
  // The longest phrase first.
  for (const list of known.values()) list.sort((a, b) => b.length - a.length)
  return known
}

function phrasesIn(
  text: string,
  known: ReadonlyMap<string, readonly (readonly string[])[]>,
  from: number,
  to: number,
): Match[] {
  if (known.size === 0) return []
  const found: Match[] = []
  token.lastIndex = from
  for (let match = token.exec(text); match !== null && match.index < to; match = token.exec(text)) {
    const { index: start } = match
    // The rest of a word that began before the window.
    if (start === from && startsInWord(text, from)) continue
    const next = token.lastIndex
    const ends = (known.get(match[0]) ?? []).map((words) => endOfPhrase(text, next, words))
    const end = ends.find((one) => one !== undefined)
    if (end !== undefined) found.push({ start, end })
    token.lastIndex = end ?? next
  }
  return found
}

function endOfPhrase(text: string, from: number, [, ...rest]: readonly string[]): number | undefined {
  let end = from
  for (const word of rest) {
    token.lastIndex = end
    const match = token.exec(text)
    if (match === null || match[0] !== word || match.index - end > maxGap) return undefined
    end = token.lastIndex
  }
  return end
}

function startsInWord(text: string, at: number): boolean {
  if (at === 0) return false
  return /[\p{L}\p{M}\p{N}_]/u.test(text[at - 1] ?? '')
}

function substringsIn(text: string, phrases: readonly string[], from: number, to: number): Match[] {
  const found: Match[] = []
  for (const phrase of phrases)
    for (let at = text.indexOf(phrase, from); at !== -1 && at < to; at = text.indexOf(phrase, at + phrase.length))
      found.push({ start: at, end: at + phrase.length })
  return found
}

// Characters whose lowercase has another length stay as they are, so that offsets are equal.
function lower(text: string): string {
  const lowered = text.toLowerCase()
  if (lowered.length === text.length) return lowered
  return Array.from(text, (one) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one)).join('')
}
