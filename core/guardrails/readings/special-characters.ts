import { PROBED, SHORTEST_TOKEN, tokenClass } from './encoded-token.ts'
import { encodedStart, encodedEnd } from './encodings.ts'
import { colour, jointStart, jointEnd } from './joints.ts'
import { spelledStart, spelledEnd } from './spelled.ts'

/** Characters that may wait for more text. */
export const MAX_WAITING = 128

const folded = '[^\\t\\n\\r\\x20-\\x7e]|(?<=\\s)[ \\t\\n\\r]+'
const encoded = `${encodedStart}|${jointStart}|(?<![${tokenClass}])[${tokenClass}]{${SHORTEST_TOKEN}}`
const waiting = new RegExp(
  `(?:${encodedEnd}|${jointEnd}|${spelledEnd}|(?<![${tokenClass}])[${tokenClass}]{1,${PROBED - 1}})$`,
)

/**
 * A pattern of characters that are not read as they are: characters outside ASCII, white space after white space, and beginnings of encodings.
 * Group `separator` is that of a spelled text.
 */
export function specialOf(decodes: boolean): RegExp {
  return new RegExp(decodes ? `${spelledStart}|${colour}|${folded}|${encoded}` : folded, 'g')
}

/** Returns where an encoding begins that may be incomplete at the end of the text so far. */
export function waitingFrom(text: string): number {
  const end = text.slice(-MAX_WAITING)
  const match = waiting.exec(end)
  return match === null ? text.length : text.length - end.length + match.index
}

/** Whether a character is folded: one outside printable ASCII and its white space. */
export function isUnfolded(unit: number): boolean {
  return unit > 0x7e || (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d)
}

/** Whether a text begins with white space. It is one of these when it is read. */
export function isSpace(text: string): boolean {
  const unit = text.charCodeAt(0)
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}
