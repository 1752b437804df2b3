import type { Letters } from '../readings/fold-character.ts'

/** A part of a text that a detector found: code units from `start` to before `end`. */
export interface Match {
  readonly start: number
  readonly end: number
  /** Describes where the match may continue in text that is not part of the window yet. */
  readonly tail?: Tail
}

/** Characters that continue a match of unknown length, such as a token. */
export interface Tail {
  /** Returns the end of the continuation from `from`; the end of the text if it may continue there. */
  extend(text: string, from: number): number
  /** Maximum number of further characters. */
  readonly limit: number
}

/** Finds one kind of content. */
export interface Detector {
  /** Characters that decide whether there is a match at a position; a longer match is found in parts, or has a tail. */
  readonly longest: number
  /** Reading of the text that it searches. */
  readonly letters: Letters
  /** Instructions of its patterns: time and memory per character are proportional to them. */
  readonly cost?: number
  /** Returns the matches that start at `from` to before `to`, in order and without overlap. Text before `from` is context. */
  find(text: string, from: number, to: number): readonly Match[]
}

/** Creates a detector from one of our own regular expressions, which takes linear time. `accept` checks what no expression can. */
export function patternDetector(
  pattern: RegExp,
  longest: number,
  accept: (match: string) => boolean = () => true,
): Detector {
  return {
    longest,
    letters: 'shapes',
    find(text, from, to) {
      const found: Match[] = []
      pattern.lastIndex = from
      for (let match = pattern.exec(text); match !== null && match.index < to; match = pattern.exec(text)) {
        if (accept(match[0])) found.push({ start: match.index, end: pattern.lastIndex })
        else pattern.lastIndex = match.index + 1
      }
      return found
    },
  }
}

/** Combines several detectors: matches are in order, and of overlapping ones the first counts. */
export function anyOf(detectors: readonly Detector[]): Detector {
  return {
    longest: Math.max(...detectors.map(({ longest }) => longest)),
    letters: 'shapes',
    find(text, from, to) {
      const all = detectors
        .flatMap((one) => one.find(text, from, to))
        .sort((a, b) => a.start - b.start || b.end - a.end)
      let covered = from
      return all.filter((match) => {
        if (match.start < covered) return false
        covered = match.end
        return true
      })
    },
  }
}
