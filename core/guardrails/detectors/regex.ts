import { RE2JS, RE2JSSyntaxException } from 're2js'
import type { GuardrailRule } from '#schemas/crds/guardrail-policy.ts'
import type { Detector, Match } from './detector.ts'
import { PolicyProblem } from './policy-problem.ts'

type RegexCheck = NonNullable<GuardrailRule['regex']>

/** Instructions of one compiled pattern: time per character is proportional to them. */
const maxProgram = 4_000
const defaultLongest = 256

/**
 * Creates a detector of RE2 patterns, which take linear time (X2). It reads the text as it is, and also as words where they differ. Throws
 * `PolicyProblem` for a pattern that is not valid.
 */
export function regexDetector({ patterns, ignoreCase, maxLength }: RegexCheck): Detector {
  const flags = ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0
  const compiled = patterns.map((pattern, index) => compile(pattern, flags, `/patterns/${index}`))
  return {
    longest: maxLength ?? defaultLongest,
    letters: 'exact',
    cost: compiled.reduce((sum, one) => sum + one.programSize(), 0),
    find(text, from, to) {
      // `test` runs a deterministic automaton and is some ten times faster than a search for the place.
      const all = compiled.flatMap((one) => (one.test(text) ? matchesOf(one, text, from, to) : []))
      return compiled.length === 1 ? all : withoutOverlap(all, from)
    },
  }
}

function matchesOf(pattern: RE2JS, text: string, from: number, to: number): Match[] {
  const found: Match[] = []
  const matcher = pattern.matcher(text)
  for (let at = from; at < to && matcher.find(at);) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (start >= to) break
    if (end > start) found.push({ start, end })
    at = Math.max(end, start + 1)
  }
  return found
}

function withoutOverlap(matches: Match[], from: number): readonly Match[] {
  let covered = from
  return matches
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < covered) return false
      covered = end
      return true
    })
}

function compile(pattern: string, flags: number, pointer: string): RE2JS {
  const compiled = parse(pattern, flags, pointer)
  if (hasAnchor(pattern))
    throw new PolicyProblem(pointer, 'must not contain ^, $, \\A or \\z: the text of a stream has no known end')
  if (compiled.programSize() > maxProgram) throw new PolicyProblem(pointer, 'is too large: use fewer repetitions')
  if (compiled.test('')) throw new PolicyProblem(pointer, 'must not match the empty string')
  return compiled
}

function parse(pattern: string, flags: number, pointer: string): RE2JS {
  try {
    return RE2JS.compile(pattern, flags)
  } catch (error) {
    // The message of the library quotes the pattern.
    const described = error instanceof RE2JSSyntaxException ? `: ${error.error}` : ''
    throw new PolicyProblem(pointer, `is not a valid RE2 regular expression${described}`)
  }
}

/** Whether an assertion of the start or end of the text or of a line occurs outside classes and quotes. */
function hasAnchor(pattern: string): boolean {
  let inClass = false
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') {
      const next = pattern[++at] ?? ''
      if (next === 'Q') at = endOfQuote(pattern, at)
      else if (!inClass && 'AzZ'.includes(next)) return true
    } else if (inClass) {
      // A bracket directly after the beginning belongs to the class; [:digit:] has its own.
      if (character === '[' && pattern[at + 1] === ':') at = Math.max(at, pattern.indexOf(':]', at) + 1)
      else if (character === ']') inClass = false
    } else if (character === '[') {
      inClass = true
      if (pattern[at + 1] === '^') at++
      if (pattern[at + 1] === ']') at++
    } else if (character === '^' || character === '$') return true
  }
  return false
}

function endOfQuote(pattern: string, from: number): number {
  const end = pattern.indexOf('\\E', from)
  return end === -1 ? pattern.length : end + 1
}
