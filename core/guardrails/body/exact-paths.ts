import { isFieldWord } from './field-words.ts'

/** Why a string is not read, or how its text is encoded. */
export type Exemption = 'plain' | 'base64' | undefined

type Form = (value: string) => boolean

// A shorter string is read as it is. No secret of a known shape is this long without a dash, a dot or an underscore.
const SHORTEST_MEDIA = 64
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
const dataUrl =
  /^data:(?!text\/|image\/svg|application\/(?!pdf|octet-stream|vnd\.))[a-z]+\/[\w.+-]{1,100}(?:;[\w.=+-]{1,100})*;base64,/
const textUrl = /^data:[\w.+-]+\/[\w.+-]{1,100}(?:;[\w.=+-]{1,100})*;base64,/

const isEncoded: Form = (value) => value.length >= SHORTEST_MEDIA && base64.test(value)
const isMedia: Form = (value) => {
  const [head] = dataUrl.exec(value) ?? []
  return head === undefined ? isEncoded(value) : base64.test(value.slice(head.length))
}

/** The only strings that rules do not see, each by its exact path and its form. A string of another form is read as text. */
const exact: readonly (readonly [string, Form])[] = [
  ['/model', () => true],
  ['/messages/*/role', (value) => /^(?:system|developer|user|assistant|tool|function)$/.test(value)],
  ['/tool_choice', (value) => /^(?:auto|none|required|any)$/.test(value)],
  ['/messages/*/content/*/image_url', isMedia],
  ['/messages/*/content/*/image_url/url', isMedia],
  ['/messages/*/content/*/input_audio/data', isMedia],
  ['/messages/*/content/*/file/file_data', isMedia],
  ['/messages/*/content/*/source/data', isMedia],
  ['/messages/*/content/*/content/*/source/data', isMedia],
  ['/messages/*/content/*/source/content/*/source/data', isMedia],
  ['/messages/*/content/*/data', isEncoded],
  ['/messages/*/content/*/signature', isEncoded],
  ['/messages/*/thinking_signature', isEncoded],
]

const forms = new Map(exact)
/** Fields whose value is a keyword of an API; any other value is read. */
const choiceField =
  /\/(?:type|effort|reasoning_effort|verbosity|format|encoding_format|detail|media_type|ttl|service_tier|truncation|modalities\/\*)$/
const textTypes = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|xhtml\+xml|csv|markdown))/

/** Returns how a string is read. `mediaType` is that of the field beside it. Text documents in base64 are read decoded, as providers do. */
export function exemptionOf(path: string, value: string, mediaType: unknown): Exemption {
  const form = forms.get(path)
  if (form === undefined) return choiceField.test(path) && isFieldWord(value) ? 'plain' : undefined
  const isText = typeof mediaType === 'string' && textTypes.test(mediaType)
  if (isText && base64.test(value)) return 'base64'
  if (form(value)) return 'plain'
  const [head] = textUrl.exec(value) ?? []
  return head !== undefined && base64.test(value.slice(head.length)) ? 'base64' : undefined
}

/** The text of a string that is encoded in base64, with or without the head of a `data:` address. */
export function decodeBase64(value: string): string {
  return Buffer.from(value.slice(headOf(value).length), 'base64').toString('utf8')
}

/** Returns the string with another text, encoded in the same form. */
export function encodeBase64(value: string, text: string): string {
  return headOf(value) + Buffer.from(text, 'utf8').toString('base64')
}

function headOf(value: string): string {
  return textUrl.exec(value)?.[0] ?? ''
}
