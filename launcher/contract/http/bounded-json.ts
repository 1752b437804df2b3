/** Maximum nesting of parsed JSON (X3). */
export const maxJsonDepth = 64

/** Maximum number of values: 16 MiB of empty lists would take 300 MB when parsed. */
const maxValues = 1_000_000

/** Thrown for refused JSON; the message completes a sentence about the input and quotes nothing of it. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused'
}

/** Message for text that is not JSON. */
export const notJson = 'is not JSON'

/** Parses JSON with bounded depth and number of values; a key `__proto__` is refused. Throws `JsonRefused`. */
export function parseBoundedJson(text: string): unknown {
  checkBounds(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JsonRefused(notJson)
  }
  // The walk costs more than parsing; it is skipped for text that cannot contain the key.
  if (text.includes('__proto__') && hasPrototypeKey(value)) throw new JsonRefused('has a key __proto__')
  return value
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

// Checks the text before values are allocated. JSON.stringify recurses: a deep value would end the process later.
function checkBounds(text: string): void {
  let depth = 0
  let values = 1
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === QUOTE) index = endOfString(text, index + 1)
    else if (unit === COMMA) values++
    else if (unit === 0x7b || unit === 0x5b) {
      values++
      if (++depth > maxJsonDepth) throw new JsonRefused(`nests deeper than ${maxJsonDepth} levels`)
    } else if (unit === 0x7d || unit === 0x5d) depth--
    if (values > maxValues) throw new JsonRefused(`has more than ${maxValues} values`)
  }
}

function endOfString(text: string, from: number): number {
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === BACKSLASH) index++
    else if (unit === QUOTE) return index
  }
  return text.length
}

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasPrototypeKey)
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey)
}
