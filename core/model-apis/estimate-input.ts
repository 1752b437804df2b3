import { isObject } from '#core/json/is-object.ts'

type ModelBody = Readonly<Record<string, unknown>>

/** Upper limit of the tokens that providers count for an image. */
const imageTokens = 4096
/** Bytes of encoded sound for one token, at a low bit rate. */
const soundBytesPerToken = 64
/** As many tokens as the context of most models: a document given by its URL has an unknown length. */
const remoteDocumentTokens = 200_000
const media = ['"image_url"', '"input_audio"', '"source"'] as const

const mostTokens = 10_000_000

/**
 * Upper estimate of the tokens of a request of OpenAI's or Anthropic's API, given as bytes and parsed. It counts one token for two bytes of
 * JSON, twice the average of text. The bytes of encoded images and sound are not tokens, so these are counted separately.
 */
export function estimateInputTokens(bytes: Buffer, body: ModelBody): number {
  return Math.min(tokensOf(bytes, body), mostTokens)
}

function tokensOf(bytes: Buffer, body: ModelBody): number {
  if (!media.some((mark) => bytes.includes(mark))) return Math.ceil(bytes.length / 2)
  const found = { bytes: 0, tokens: 0 }
  countMedia(body.messages, found)
  return Math.ceil(Math.max(bytes.length - found.bytes, 0) / 2) + found.tokens
}

// Recursive: the depth of a body is limited when it is parsed.
function countMedia(value: unknown, found: { bytes: number; tokens: number }): void {
  if (typeof value !== 'object' || value === null) return
  const { image_url: image, input_audio: sound, source, type } = value as ModelBody
  const url = isObject(image) ? image.url : image
  if (typeof url === 'string') {
    found.tokens += imageTokens
    if (url.startsWith('data:image/')) found.bytes += url.length
  }
  if (isObject(sound) && typeof sound.data === 'string') {
    found.tokens += Math.ceil(sound.data.length / soundBytesPerToken)
    found.bytes += sound.data.length
  }
  if (isObject(source)) countSource(type, source, found)
  for (const one of Object.values(value)) countMedia(one, found)
}

// Encoded documents count as text, since some have much text in few bytes.
function countSource(type: unknown, { type: by, data }: ModelBody, found: { bytes: number; tokens: number }): void {
  if (type === 'image') {
    found.tokens += imageTokens
    if (by === 'base64' && typeof data === 'string') found.bytes += data.length
  } else if (by === 'url') found.tokens += remoteDocumentTokens
}
