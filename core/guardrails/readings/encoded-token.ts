/** A form in which a text is written as one token: groups of characters, each of which is a number of bytes. */
export interface TokenForm {
  readonly encoding: 'base64' | 'hex'
  /** Characters of a group. */
  readonly group: number
}

const base64: TokenForm = { encoding: 'base64', group: 4 }
const hex: TokenForm = { encoding: 'hex', group: 2 }

/** Shortest token that is decoded. */
export const SHORTEST_TOKEN = 16
/** As much of a token decides about its form. */
export const PROBED = 48
/** Characters of a token. */
export const tokenClass = '\\w+/-'

const isHex = /^[0-9A-Fa-f]+$/
const notText = /[^\t\n\r\x20-\x7e\u00a0-\uffff]|\ufffd/

/** The form of a token by its beginning: one in which it is text. Digests, identifiers and media are none. */
export function formOf(head: string): TokenForm | undefined {
  if (isHex.test(head) && head.length % 2 === 0 && isText(Buffer.from(head, 'hex'), head.length < PROBED)) return hex
  const whole = head.slice(0, head.length < PROBED ? head.length : PROBED)
  if (whole.length % 4 === 1) return undefined
  return isText(Buffer.from(whole, 'base64'), head.length < PROBED) ? base64 : undefined
}

// The last character of a beginning may be cut.
function isText(bytes: Buffer, isWhole: boolean): boolean {
  const text = bytes.toString('utf8')
  return !notText.test(isWhole ? text : text.replace(/\ufffd$/, ''))
}

const run = new RegExp(`[${tokenClass}]+`, 'y')

/** A token that is read. */
export interface Token {
  readonly form: TokenForm
  readonly utf8: TextDecoder
}

/** A part of a token, decoded; `length` is that of its source. */
export interface DecodedGroup {
  readonly text: string
  readonly length: number
}

/** The token that begins at an offset; undefined for one that is no text. */
export function beginToken(text: string, at: number): Token | undefined {
  const form = formOf(text.slice(at, Math.min(endOfToken(text, at), at + PROBED)))
  return form === undefined ? undefined : { form, utf8: new TextDecoder('utf-8', { ignoreBOM: true }) }
}

/** Where the characters of a token end. */
export function endOfToken(text: string, from: number): number {
  run.lastIndex = from
  return from + (run.exec(text)?.[0].length ?? 0)
}

/** Decodes the groups of a part of a token, and its rest if it is the last part. A character outside ASCII may be split over groups. */
export function* readToken({ form, utf8 }: Token, source: string, isLast: boolean): Generator<DecodedGroup> {
  const { encoding, group } = form
  let at = 0
  for (; at + group <= source.length; at += group)
    yield { text: utf8.decode(Buffer.from(source.slice(at, at + group), encoding), { stream: true }), length: group }
  if (!isLast || at === source.length) return
  yield { text: Buffer.from(source.slice(at), encoding).toString('latin1'), length: source.length - at }
}
