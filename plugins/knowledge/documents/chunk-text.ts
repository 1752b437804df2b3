/** A piece of a document: its text, offsets in the document's text, and its page, from 1. */
export interface Chunk {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly page: number | null
}

/** Settings of chunking. */
export interface ChunkLayout {
  /** Maximum length of a chunk in characters. */
  readonly size: number
  /** Characters repeated from the previous chunk. */
  readonly overlap: number
}

// Separators, best first.
const separators = ['\n\n', '\n', '. ', ' '] as const

/**
 * Divides a text into chunks of at most `size` characters that overlap. A chunk ends at a paragraph, else a line, a sentence or a word, if one is in
 * its second half. It never crosses a page, since a citation has one page. Linear: the overlap is at most half of the size.
 */
export function chunkText(text: string, layout: ChunkLayout, pages: readonly number[] = []): readonly Chunk[] {
  if (pages.length === 0) return divide(text, layout).map((chunk) => ({ ...chunk, page: null }))
  const starts = [0, ...pages]
  return starts.flatMap((from, index) => {
    const page = divide(text.slice(from, starts[index + 1] ?? text.length), layout)
    return page.map((chunk) => ({ ...chunk, start: from + chunk.start, end: from + chunk.end, page: index + 1 }))
  })
}

function divide(text: string, { size, overlap }: ChunkLayout): readonly Omit<Chunk, 'page'>[] {
  const chunks: Omit<Chunk, 'page'>[] = []
  let start = skipBlank(text, 0)
  while (start < text.length) {
    const end = endOf(text, start, size)
    const shown = text.slice(start, end).trimEnd()
    if (shown !== '') chunks.push({ text: shown, start, end: start + shown.length })
    if (end >= text.length) break
    start = skipBlank(text, startAfter(text, { start, end, overlap: Math.min(overlap, Math.floor(size / 2)) }))
  }
  return chunks
}

function endOf(text: string, start: number, size: number): number {
  const most = start + size
  if (most >= text.length) return text.length
  const window = text.slice(start, most)
  for (const separator of separators) {
    const at = window.lastIndexOf(separator)
    if (at >= size / 2) return start + at + separator.length
  }
  return wholeCharacter(text, most)
}

// The overlap begins at a word. It always lies after the last start, so that the loop terminates.
function startAfter(
  text: string,
  { start, end, overlap }: { readonly start: number; readonly end: number; readonly overlap: number },
): number {
  if (overlap === 0) return end
  const from = Math.max(end - overlap, start + 1)
  const space = text.slice(from, end).search(/\s/)
  return space === -1 ? wholeCharacter(text, from) : from + space + 1
}

// Not between the two halves of a surrogate pair.
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at]?.trim() === '') at++
  return at
}
