import { toStorable } from '#schemas/values/storable-text.ts'
import { charsetOf } from './formats.ts'
import { IngestFailure } from './parsed-document.ts'
import type { DocumentFormat, ParsedDocument, ParseLimits } from './parsed-document.ts'

/** A document to read. */
export interface ParseRequest extends ParseLimits {
  readonly format: DocumentFormat
  /** Media type with its character set. */
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Extracts the text of a document. Throws `IngestFailure`. Parsers are loaded on demand. */
export async function parseDocument(request: ParseRequest): Promise<ParsedDocument> {
  const parsed = await read(request)
  const text = toStorable(parsed.text.replaceAll('\r\n', '\n'))
  // Page offsets stay valid: only formats without pages have CRLF line ends.
  if (text.trim() === '') throw new IngestFailure('no_text')
  return { ...parsed, text, title: parsed.title === undefined ? undefined : toStorable(parsed.title) }
}

async function read(request: ParseRequest): Promise<ParsedDocument> {
  const { format, bytes, maxCharacters } = request
  if (format === 'pdf') return (await import('./parse-pdf.ts')).parsePdf(bytes, { maxCharacters })
  const text = decode(request)
  if (format === 'html') return (await import('./parse-html.ts')).parseHtml(text, { maxCharacters })
  if (format === 'csv') return (await import('./parse-csv.ts')).parseCsv(text, { maxCharacters })
  if (text.length > maxCharacters) throw new IngestFailure('too_large')
  return { text, title: format === 'markdown' ? headingOf(text) : undefined, pages: [] }
}

function decode({ bytes, contentType }: ParseRequest): string {
  try {
    return new TextDecoder(charsetOf(contentType) ?? 'utf-8').decode(bytes)
  } catch {
    throw new IngestFailure('unreadable')
  }
}

// The first level-1 heading.
function headingOf(text: string): string | undefined {
  const line = text
    .slice(0, 10_000)
    .split('\n')
    .find((one) => one.startsWith('# '))
  const title = line?.slice(2).trim().slice(0, 256)
  return title === '' ? undefined : title
}
