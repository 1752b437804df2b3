import type { Detector, Match } from './detector.ts'

const digitRun = /\d(?:[ \t\n\r.,;:/_|*-]{0,3}\d)+/g
const usual = /^\d(?:[ -]?\d)+$/
const fourGroups = /^(?:\d{4}[^\d]+\d{4}[^\d]+\d{4}[^\d]+\d{4}|\d{4}[^\d]+\d{6}[^\d]+\d{5})$/
const shortest = 13
const longestNumber = 19

/** Payment cards: 13 to 19 digits in groups, of an issuer's range, with the right check digit (ISO/IEC 7812). */
export const cardNumbers: Detector = {
  longest: 4 * longestNumber,
  letters: 'shapes',
  find(text, from, to) {
    const found: Match[] = []
    // A run may begin before the window: its first digits then do not start a group.
    digitRun.lastIndex = from
    for (let run = digitRun.exec(text); run !== null && run.index < to; run = digitRun.exec(text))
      found.push(...cardsIn(text, run.index, digitRun.lastIndex).filter(({ start }) => start < to))
    return found
  },
}

interface Digits {
  /** Value and offset of each digit. */
  readonly values: readonly number[]
  readonly offsets: readonly number[]
}

function cardsIn(text: string, from: number, to: number): readonly Match[] {
  const digits = digitsOf(text, from, to)
  const found: Match[] = []
  for (let first = 0; first + shortest <= digits.values.length; first++) {
    const length = beginsGroup(text, digits.offsets[first] ?? 0) ? lengthOfCard(text, digits, first) : undefined
    if (length === undefined) continue
    found.push({ start: digits.offsets[first] ?? 0, end: (digits.offsets[first + length - 1] ?? 0) + 1 })
    first += length - 1
  }
  return found
}

function digitsOf(text: string, from: number, to: number): Digits {
  const values: number[] = []
  const offsets: number[] = []
  for (let at = from; at < to; at++) {
    const value = text.charCodeAt(at) - 48
    if (value < 0 || value > 9) continue
    values.push(value)
    offsets.push(at)
  }
  return { values, offsets }
}

function lengthOfCard(text: string, { values, offsets }: Digits, first: number): number | undefined {
  if (!isIssuer(values, first)) return undefined
  for (let length = longestNumber; length >= shortest; length--) {
    const last = offsets[first + length - 1]
    if (last === undefined || !endsGroup(text, last) || !passesLuhn(values, first, length)) continue
    if (isWritten(text.slice(offsets[first], last + 1))) return length
  }
  return undefined
}

// Lists of numbers and versions have groups of other lengths.
function isWritten(number: string): boolean {
  if (!usual.test(number)) return fourGroups.test(number)
  const lengths = number.split(/\D/).map(({ length }) => length)
  const [first = 0, ...others] = lengths.slice(0, -1)
  return others.every((length) => length === first) || lengths.slice(0, -1).every((length) => length >= 3)
}

// Visa 4; Mastercard 51 to 55 and 22 to 27; American Express, Diners and JCB 3; Discover, Maestro and UnionPay 50, 56 to 69.
function isIssuer(values: readonly number[], first: number): boolean {
  const [one, two] = [values[first] ?? 0, values[first + 1] ?? 0]
  return (
    one === 4 || one === 5 || one === 6 || (one === 3 && [0, 4, 5, 6, 7, 8, 9].includes(two)) || (one === 2 && two >= 2)
  )
}

function passesLuhn(values: readonly number[], first: number, length: number): boolean {
  let sum = 0
  for (let index = 0; index < length; index++) {
    const value = values[first + length - 1 - index] ?? 0
    const doubled = index % 2 === 1 ? value * 2 : value
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function beginsGroup(text: string, at: number): boolean {
  return at === 0 || !isDigit(text, at - 1)
}

function endsGroup(text: string, at: number): boolean {
  return !isDigit(text, at + 1)
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 48 && unit <= 57
}
