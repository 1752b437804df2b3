import { PROBED, SHORTEST_TOKEN, formOf, tokenClass } from './encoded-token.ts'

/** A character in an encoding, decoded; `length` is that of its source. */
export interface Decoded {
  readonly text: string
  readonly length: number
}

const entity = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z]{2,8}));?/y
const escape = /\\{1,16}(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2}))/y
const percent = /%([0-9A-Fa-f]{2})/y
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    commat: '@',
    period: '.',
    hyphen: '-',
    dash: '-',
    lowbar: '_',
    plus: '+',
    colon: ':',
    sol: '/',
    num: '#',
    Tab: ' ',
    NewLine: '\n',
    shy: '',
    zwnj: '',
  }),
)

/** Beginnings of an encoded character, as the alternatives of a pattern. */
export const encodedBegin = '%[0-9A-Fa-f]|&[#A-Za-z]|\\\\{1,16}[ux]'
/** An encoded character that may not be complete at the end of what has arrived. */
export const encodedEnd =
  '(?:%[0-9A-Fa-f]{2}){0,3}%[0-9A-Fa-f]{0,2}|&(?:#(?:\\d{0,7}|[xX][0-9A-Fa-f]{0,6})|[A-Za-z]{0,8})|\\\\{1,16}(?:u(?:[0-9A-Fa-f]{0,3}|\\{[0-9A-Fa-f]{0,6})|x[0-9A-Fa-f]?)?'

/** Decodes a character reference of HTML, an escape of JSON or JavaScript, or a percent-encoded character; undefined for any other text. */
export function decodeCharacter(text: string, at: number): Decoded | undefined {
  const first = text[at]
  if (first === '%') return decodePercent(text, at)
  const pattern = first === '&' ? entity : escape
  pattern.lastIndex = at
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [whole, one, two, three] = match
  const isNamed = first === '&' && three !== undefined
  const radix = first === '&' && one !== undefined ? 10 : 16
  const named = isNamed ? names.get(three) : fromCode(Number.parseInt(one ?? two ?? three ?? '', radix))
  return named === undefined ? undefined : { text: named, length: whole.length }
}

function decodePercent(text: string, at: number): Decoded | undefined {
  const lead = byteAt(text, at)
  const size =
    lead === undefined ? 0 : lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0
  const bytes: number[] = []
  for (let nth = 0; nth < size; nth++) bytes.push(byteAt(text, at + 3 * nth) ?? 0)
  const decoded = size === 0 ? undefined : toText(Buffer.from(bytes))
  return decoded === undefined ? undefined : { text: decoded, length: 3 * size }
}

function byteAt(text: string, at: number): number | undefined {
  percent.lastIndex = at
  const [, digits] = percent.exec(text) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}

function fromCode(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function toText(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const perhaps = new RegExp(`${encodedBegin}|(?<![=${tokenClass}])[${tokenClass}]{${SHORTEST_TOKEN},${PROBED}}`, 'g')

/** Whether a whole text has something that is read decoded. */
export function hasEncoding(text: string): boolean {
  perhaps.lastIndex = 0
  for (let match = perhaps.exec(text); match !== null; match = perhaps.exec(text)) {
    const [found] = match
    const isToken = found.length >= SHORTEST_TOKEN && !found.startsWith('\\')
    if (isToken ? formOf(found) !== undefined : decodeCharacter(text, match.index) !== undefined) return true
  }
  return false
}
