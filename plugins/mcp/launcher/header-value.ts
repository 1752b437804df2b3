import { isUtf8 } from 'node:buffer'

const ENCODED = /^=\?base64\?(.*)\?=$/s

/** The text of a header of MCP 2026-07-28, which may be in Base64. Undefined if that is invalid. */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = ENCODED.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  // Node ignores characters that are not Base64, and missing padding.
  return bytes.toString('base64') === encoded && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
