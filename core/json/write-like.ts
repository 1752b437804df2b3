import { isObject } from './is-object.ts'

/**
 * Writes JSON of a value like a given document. Parts that are equal in both keep their characters, such as the form of its numbers (`1.0`,
 * integers above 2^53), escapes, spaces and the order of names. A name that the document has twice is written with the value's one value.
 */
export function writeLike(document: string, value: unknown): string {
  const start = skipSpace(document, 0)
  const { end, text } = write(document, start, value)
  return text === undefined ? document : document.slice(0, start) + text + document.slice(end)
}

/** End of a value in the document, and the text that replaces it; undefined if the value stays. */
interface Written {
  readonly end: number
  readonly text: string | undefined
}

const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const QUOTE = 0x22
const BACKSLASH = 0x5c

// Recursive: the depth of a document is limited before it is parsed.
function write(document: string, at: number, value: unknown): Written {
  const unit = document.charCodeAt(at)
  if (unit === OPEN_OBJECT && isObject(value)) return writeObject(document, at, value)
  if (unit === OPEN_LIST && Array.isArray(value)) return writeList(document, at, value)
  const end = endOfValue(document, at)
  return { end, text: isSame(document.slice(at, end), value) ? undefined : (JSON.stringify(value) ?? 'null') }
}

function isSame(raw: string, value: unknown): boolean {
  const isPlain = typeof value === 'string' && raw.length === value.length + 2 && !raw.includes('\\')
  if (isPlain) return raw.startsWith(value, 1)
  const unit = raw.charCodeAt(0)
  return unit !== OPEN_OBJECT && unit !== OPEN_LIST && JSON.parse(raw) === value
}

function writeList(document: string, from: number, value: readonly unknown[]): Written {
  const parts: string[] = []
  let [at, kept, index] = [skipSpace(document, from + 1), from, 0]
  for (; document[at] !== ']'; index++) {
    const { end, text } = write(document, at, value[index])
    if (text !== undefined) {
      parts.push(document.slice(kept, at), text)
      kept = end
    }
    at = nextItem(document, end)
  }
  const end = at + 1
  if (index !== value.length) return { end, text: JSON.stringify(value) }
  return { end, text: parts.length === 0 ? undefined : parts.join('') + document.slice(kept, end) }
}

function writeObject(document: string, from: number, value: Readonly<Record<string, unknown>>): Written {
  const rest = new Set(Object.keys(value).filter((name) => value[name] !== undefined))
  const fields: string[] = []
  const parts: string[] = []
  let isOther = false
  let [at, kept] = [skipSpace(document, from + 1), from]
  while (document[at] !== '}') {
    const nameEnd = endOfValue(document, at)
    const name = nameOf(document.slice(at, nameEnd))
    const start = skipSpace(document, skipSpace(document, nameEnd) + 1)
    // A field that is absent from the value, or already written, is dropped: the fields of the document change.
    const isKept = rest.delete(name)
    const { end, text } = isKept ? write(document, start, value[name]) : { end: endOfValue(document, start), text: '' }
    if (text !== undefined) {
      parts.push(document.slice(kept, start), text)
      kept = end
    }
    if (isKept) fields.push(document.slice(at, start) + (text ?? document.slice(start, end)))
    isOther ||= !isKept
    at = nextItem(document, end)
  }
  const end = at + 1
  if (isOther || rest.size > 0) {
    const added = [...rest].map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`)
    return { end, text: `{${[...fields, ...added].join(',')}}` }
  }
  return { end, text: parts.length === 0 ? undefined : parts.join('') + document.slice(kept, end) }
}

function nameOf(raw: string): string {
  return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1)
}

// After the comma, or at the bracket that ends the list or object.
function nextItem(document: string, from: number): number {
  const at = skipSpace(document, from)
  return document[at] === ',' ? skipSpace(document, at + 1) : at
}

function skipSpace(document: string, from: number): number {
  let at = from
  while (at < document.length && document.charCodeAt(at) <= 0x20) at++
  return at
}

const notLiteral = /[,\]}\s]/g

function endOfValue(document: string, from: number): number {
  const unit = document.charCodeAt(from)
  if (unit === QUOTE) return endOfString(document, from)
  if (unit === OPEN_LIST || unit === OPEN_OBJECT) return endOfNested(document, from)
  notLiteral.lastIndex = from
  return notLiteral.exec(document)?.index ?? document.length
}

const bracketOrQuote = /["[\]{}]/g

function endOfNested(document: string, from: number): number {
  let depth = 0
  for (let at = from; ;) {
    bracketOrQuote.lastIndex = at
    const found = bracketOrQuote.exec(document)
    if (found === null) return document.length
    const [mark] = found
    at = mark === '"' ? endOfString(document, found.index) : found.index + 1
    if (mark === '[' || mark === '{') depth++
    else if (mark !== '"' && --depth === 0) return at
  }
}

function endOfString(document: string, from: number): number {
  for (let at = from + 1; ;) {
    const quote = document.indexOf('"', at)
    if (quote === -1) return document.length
    let escapes = 0
    while (document.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes++
    at = quote + 1
    if (escapes % 2 === 0) return at
  }
}
