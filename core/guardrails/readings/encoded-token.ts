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

/** Decodes groups of a token, of which characters outside ASCII may be split over calls. */
export function createTokenDecoder({ encoding }: TokenForm): (groups: string) => string {
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  return (groups) => utf8.decode(Buffer.from(groups, encoding), { stream: true })
}
