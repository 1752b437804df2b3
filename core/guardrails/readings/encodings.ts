import { PROBED, SHORTEST_TOKEN, formOf, tokenClass } from './encoded-token.ts'
import { jointStart, jointLength } from './joints.ts'
import { spelledStart } from './spelled.ts'

/** A character in an encoding, decoded; `length` is that of its source. */
export interface DecodedCharacter {
  readonly text: string
  readonly length: number
}

// Each may be encoded again: `%2541`, `&amp;#65;`, `\\u0041`.
const entity = /&(?:amp;){0,4}(?:#0{0,40}(\d{1,7})|#[xX]0{0,40}([0-9A-Fa-f]{1,6})|([A-Za-z]{2,24}));?/y
const escape =
  /\\{1,16}(?:u([0-9A-Fa-f]{4})|(?:u|N)\{(?:U\+)?([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|U([0-9A-Fa-f]{8})|([0-3][0-7]{2}|[4-7][0-7]))/y
// Percent-encoding of URLs, and quoted-printable of mail: `%41`, `=41`.
const percent = /(?:%(?:25){0,4}([0-9A-Fa-f]{2})|=([0-9A-F]{2}))/y
const percentUnit = /%(?:25){0,4}u([0-9A-Fa-f]{4})/y
// Addresses that are written so that nothing links them: `ann [at] example[.]com`.
const defanged = /[ \t]?[[({<][ \t]?(at|dot|[.@])[ \t]?[\])}>][ \t]?/iy
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
    zwj: '',
    lrm: '',
    rlm: '',
    NoBreak: '',
    ZeroWidthSpace: '',
    InvisibleTimes: '',
    InvisibleComma: '',
    ApplyFunction: '',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
    NonBreakingSpace: ' ',
    equals: '=',
    lpar: '(',
    rpar: ')',
  }),
)

/** Beginnings of an encoded character, as the alternatives of a pattern. */
export const encodedStart =
  '%[0-9A-Fa-fu]|=[0-9A-F]{2}|&[#A-Za-z]|\\\\{1,16}[uxUN0-7]|[ \\t]?[[({<][ \\t]?(?:[aA][tT]|[dD][oO][tT]|[.@])[ \\t]?[\\])}>]'
/** An encoded character that may be incomplete at the end of the text so far. */
export const encodedEnd = [
  '(?:%(?:25){0,4}[0-9A-Fa-f]{2}){0,3}%(?:25){0,4}(?:[0-9A-Fa-f]{0,2}|u[0-9A-Fa-f]{0,3})',
  '(?:=[0-9A-F]{2}){0,3}=[0-9A-F]{0,2}',
  '&(?:amp;){0,4}(?:#(?:\\d{0,47}|[xX][0-9A-Fa-f]{0,46})|[A-Za-z]{0,24})',
  '\\\\{1,16}(?:[uN]\\{?(?:U?\\+?[0-9A-Fa-f]{0,6})|x[0-9A-Fa-f]?|U[0-9A-Fa-f]{0,7}|[0-7]{1,2})?',
  '[ \\t]?[[({<][ \\t]?[A-Za-z.@]{0,3}[ \\t]?[\\])}>]?|[ \\t]',
].join('|')

/**
 * Decodes a character reference of HTML, an escape of JSON, JavaScript or Python, a percent-encoded or quoted-printable character, or a sign
 * of an address. Returns an empty string for what joins two strings, and undefined for any other text.
 */
export function decodeCharacter(text: string, at: number): DecodedCharacter | undefined {
  const first = text[at] ?? ''
  if (first === '%') return decodePercent(text, at)
  const length = jointLength(text, at)
  if (length > 0) return { text: '', length }
  if (first === '&') return decodeEntity(text, at)
  if (first === '=') return decodePercent(text, at)
  return first === '\\' ? decodeEscape(text, at) : decodeSign(text, at)
}

function decodeEntity(text: string, at: number): DecodedCharacter | undefined {
  entity.lastIndex = at
  const [whole = '', decimal, hex, name = ''] = entity.exec(text) ?? []
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const decoded = Number.isNaN(code) ? names.get(name) : fromCode(code)
  return decoded === undefined ? undefined : { text: decoded, length: whole.length }
}

function decodeEscape(text: string, at: number): DecodedCharacter | undefined {
  escape.lastIndex = at
  const [whole, ...found] = escape.exec(text) ?? []
  if (whole === undefined) return undefined
  const octal = found.pop()
  const hex = found.find((one) => one !== undefined)
  const decoded = fromCode(octal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(octal, 8))
  return decoded === undefined ? undefined : { text: decoded, length: whole.length }
}

function decodeSign(text: string, at: number): DecodedCharacter | undefined {
  defanged.lastIndex = at
  const [whole, sign = ''] = defanged.exec(text) ?? []
  return whole === undefined ? undefined : { text: /^(?:at|@)$/i.test(sign) ? '@' : '.', length: whole.length }
}

function decodePercent(text: string, at: number): DecodedCharacter | undefined {
  percentUnit.lastIndex = at
  const [unit, hex = ''] = percentUnit.exec(text) ?? []
  if (unit !== undefined) return { text: String.fromCharCode(Number.parseInt(hex, 16)), length: unit.length }
  const bytes: number[] = []
  let to = at
  for (let left = 1; left > 0; left--) {
    percent.lastIndex = to
    const [whole = '', ofAddress, ofMail = ''] = percent.exec(text) ?? []
    if (whole === '') return undefined
    const byte = Number.parseInt(ofAddress ?? ofMail, 16)
    if (bytes.length === 0) left = sizeOf(byte)
    bytes.push(byte)
    to += whole.length
  }
  const decoded = toText(Buffer.from(bytes))
  return decoded === undefined ? undefined : { text: decoded, length: to - at }
}

/** Number of bytes of a UTF-8 character, by its first byte. */
function sizeOf(lead: number): number {
  if (lead < 0xc0) return 1
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
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

const perhaps = new RegExp(
  `${spelledStart}|${encodedStart}|${jointStart}|(?<![${tokenClass}])[${tokenClass}]{${SHORTEST_TOKEN},${PROBED}}`,
  'g',
)
const tokenStart = new RegExp(`^[${tokenClass}]{${SHORTEST_TOKEN}}`)

/** Whether a complete text contains anything that is read decoded. */
export function hasEncoding(text: string): boolean {
  perhaps.lastIndex = 0
  for (let match = perhaps.exec(text); match !== null; match = perhaps.exec(text)) {
    const [found] = match
    if (match.groups?.['separator'] !== undefined) return true
    const isToken = tokenStart.test(found)
    if (isToken ? formOf(found) !== undefined : decodeCharacter(text, match.index) !== undefined) return true
    // The slash may begin a comment.
    if (isToken && found.endsWith('/')) perhaps.lastIndex--
  }
  return false
}
