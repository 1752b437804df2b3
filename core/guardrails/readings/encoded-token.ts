/** Encoding of a text as one token. Each group of characters encodes whole bytes. */
export interface TokenForm {
  readonly encoding: Encoding
  /** The encoding of the decoded text, if it is encoded twice. */
  readonly inner?: Encoding
  /** UTF-16 in which the second byte of each character is zero. */
  readonly isWide?: true
  /** Number of characters per group. */
  readonly group: number
}

type Encoding = 'base64' | 'hex'

const groups = { base64: 4, hex: 2 } as const
// Number of characters that form whole groups of both encodings.
const groupsOfTwo = { base64: { base64: 16, hex: 8 }, hex: { base64: 8, hex: 4 } } as const

/** Shortest token that is decoded. */
export const SHORTEST_TOKEN = 16
/** Number of leading characters of a token that decide on its form. */
export const PROBED = 48
/** Character class of tokens. */
export const tokenClass = '\\w+/-'

const isHex = /^[0-9A-Fa-f]+$/
const isToken = new RegExp(`^[${tokenClass}]{${SHORTEST_TOKEN},}$`)
const notText = /[^\t\n\r\x20-\x7e\u00a0-\uffff]|\ufffd/

/** Returns the form in which the beginning of a token decodes to text; undefined for digests, identifiers and media. */
export function formOf(head: string): TokenForm | undefined {
  const isWhole = head.length < PROBED
  const encoding = encodingOf(head.slice(0, PROBED), isWhole)
  if (encoding === undefined) return isWide(head) ? { encoding: 'base64', isWide: true, group: 8 } : undefined
  const decoded = withoutPadding(Buffer.from(head, encoding).toString('latin1'))
  const inner = isToken.test(decoded) ? encodingOf(decoded, isWhole) : undefined
  return inner === undefined
    ? { encoding, group: groups[encoding] }
    : { encoding, inner, group: groupsOfTwo[encoding][inner] }
}

function withoutPadding(text: string): string {
  let end = text.length
  while (text.charCodeAt(end - 1) === 0x3d) end--
  return text.slice(0, end)
}

function encodingOf(head: string, isWhole: boolean): Encoding | undefined {
  if (isHex.test(head) && head.length % 2 === 0 && isText(Buffer.from(head, 'hex'), isWhole)) return 'hex'
  if (head.length % 4 === 1) return undefined
  return isText(Buffer.from(head, 'base64'), isWhole) ? 'base64' : undefined
}

// Windows encodes text in this form: `powershell -EncodedCommand`.
function isWide(head: string): boolean {
  const bytes = Buffer.from(head.slice(0, PROBED), 'base64')
  const isOdd = (_: number, index: number): boolean => index % 2 === 1
  return bytes.filter(isOdd).every((byte) => byte === 0) && isText(narrow(bytes), true)
}

function narrow(bytes: Buffer): Buffer {
  return Buffer.from(bytes.filter((_, index) => index % 2 === 0))
}

// The last character of a beginning may be cut.
function isText(bytes: Buffer, isWhole: boolean): boolean {
  const text = bytes.toString('utf8')
  return !notText.test(isWhole ? text : text.replace(/\ufffd$/, ''))
}

const run = new RegExp(`[${tokenClass}]+`, 'y')

/** State of a token that is read up to a group. */
export interface Token {
  readonly form: TokenForm
  /** Characters of its line so far. */
  readonly column: number
  /** The first bytes of an incomplete character, and the length of the groups that contain them. */
  readonly bytes: Buffer
  readonly size: number
}

/** A part of a token, decoded; `length` is that of its source. */
export interface DecodedGroup {
  readonly text: string
  readonly length: number
  /** State of the token after this part. */
  readonly next: Token
}

const none = Buffer.alloc(0)

/** The token that begins at an offset; undefined for one that is not text. */
export function beginToken(text: string, at: number): Token | undefined {
  const form = formOf(text.slice(at, Math.min(endOfToken(text, at), at + PROBED)))
  return form === undefined ? undefined : { form, column: 0, bytes: none, size: 0 }
}

/** Returns the offset at which the characters of a token end. */
export function endOfToken(text: string, from: number): number {
  run.lastIndex = from
  return from + (run.exec(text)?.[0].length ?? 0)
}

// Minimum line length of encoded mail and keys. A shorter line is prose.
const SHORTEST_LINE = 40
const lineBreak = /\r?\n?/y
const continued = /^[\w+/-]{2}[\w+/=-]{2}$/

/** Returns where the next line continues a token; undefined if the token ends, `waits` if that is not known yet. */
export function nextLine({ form }: Token, text: string, to: number, column: number): number | 'waits' | undefined {
  if (to === text.length) return 'waits'
  if (form.encoding !== 'base64' || column < SHORTEST_LINE || column % form.group !== 0) return undefined
  lineBreak.lastIndex = to
  const next = to + (lineBreak.exec(text)?.[0].length ?? 0)
  if (next === to) return undefined
  if (text.length - next < 4) return 'waits'
  return continued.test(text.slice(next, next + 4)) ? next : undefined
}

/** Decodes the groups of a part of a token, and its rest if it is the last part. A character outside ASCII may be split over groups. */
export function* readToken(token: Token, source: string, isLast: boolean): Generator<DecodedGroup> {
  const { group } = token.form
  let last = token
  const to = isLast ? source.length : source.length - (source.length % group)
  for (let at = 0; at < to; at += group) {
    const given = source.slice(at, at + group)
    const bytes = Buffer.concat([last.bytes, bytesOf(token.form, given)])
    const whole = bytes.length - cutOf(bytes)
    const size = whole === 0 ? last.size + given.length : whole === bytes.length ? 0 : given.length
    last = { form: token.form, column: last.column + given.length, bytes: bytes.subarray(whole), size }
    yield { text: bytes.toString('utf8', 0, whole), length: given.length, next: last }
  }
}

/** Number of bytes at the end that begin a UTF-8 character without completing it. */
function cutOf(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return length < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? length : 0
  }
  return 0
}

function bytesOf({ encoding, inner, isWide: hasZeros }: TokenForm, source: string): Buffer {
  const bytes = Buffer.from(source, encoding)
  if (hasZeros === true) return narrow(bytes)
  return inner === undefined ? bytes : Buffer.from(bytes.toString('latin1'), inner)
}
