import { RE2JS } from 're2js'

/** Thrown for a pattern that is not supported. */
class Unsupported extends Error {}

/**
 * Returns a short text that matches a pattern, or undefined. `repeat` is the number of extra repetitions for unbounded quantifiers.
 * Supports literals, classes, groups, alternation and counts. The result is verified by the pattern itself, which comes from a
 * caller and therefore runs in RE2 (X2).
 */
export function shortestMatch(pattern: string, repeat = 0): string | undefined {
  try {
    const reader = { pattern, at: 0, repeat }
    const text = alternation(reader)
    return reader.at === pattern.length && RE2JS.compile(pattern).matcher(text).find() ? text : undefined
  } catch {
    return undefined
  }
}

interface Reader {
  readonly pattern: string
  at: number
  readonly repeat: number
}

function alternation(reader: Reader): string {
  const first = sequence(reader)
  while (reader.pattern[reader.at] === '|') {
    reader.at++
    sequence(reader)
  }
  return first
}

function sequence(reader: Reader): string {
  let text = ''
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const unit = atom(reader)
    text += unit.repeat(countOf(reader))
    if (text.length > 4096) throw new Unsupported()
  }
  return text
}

function atom(reader: Reader): string {
  const char = reader.pattern[reader.at++] ?? ''
  if (char === '^' || char === '$') return ''
  if (char === '(') return group(reader)
  if (char === '[') return characterClass(reader)
  if (char === '\\') return escaped(reader)
  if (char === '.') return 'a'
  if ('*+?{'.includes(char)) throw new Unsupported()
  return char
}

function group(reader: Reader): string {
  if (reader.pattern[reader.at] === '?') {
    if (reader.pattern[reader.at + 1] !== ':') throw new Unsupported()
    reader.at += 2
  }
  const text = alternation(reader)
  if (reader.pattern[reader.at++] !== ')') throw new Unsupported()
  return text
}

function escaped(reader: Reader): string {
  const char = reader.pattern[reader.at++] ?? ''
  const sample = { d: '0', w: 'a', s: ' ', S: 'a', D: 'a', W: '-', n: '\n', t: '\t', b: '' }[char]
  if (sample !== undefined) return sample
  if (/[a-z0-9]/i.test(char)) throw new Unsupported()
  return char
}

function characterClass(reader: Reader): string {
  const end = classEnd(reader)
  const source = reader.pattern.slice(reader.at - 1, end + 1)
  reader.at = end + 1
  const matcher = RE2JS.compile(`^${source}$`)
  const found =
    [...'a0-_. /:@xX1 '].find((char) => matcher.matches(char)) ?? printable().find((char) => matcher.matches(char))
  if (found === undefined) throw new Unsupported()
  return found
}

function classEnd({ pattern, at }: Reader): number {
  for (let index = at; index < pattern.length; index++) {
    if (pattern[index] === '\\') index++
    else if (pattern[index] === ']' && index > at) return index
  }
  throw new Unsupported()
}

function printable(): string[] {
  return Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
}

function countOf(reader: Reader): number {
  const counted = /^(?:\*|\+|\?|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reader.pattern.slice(reader.at))
  if (counted === null) return 1
  reader.at += counted[0].length
  if (counted[0].startsWith('?')) return reader.repeat > 0 ? 1 : 0
  const least = counted[0].startsWith('*') ? 0 : counted[0].startsWith('+') ? 1 : Number(counted[1])
  const most = counted[2] === undefined ? least : counted[3] ? Number(counted[3]) : Number.POSITIVE_INFINITY
  return Math.min(least + reader.repeat, most)
}
