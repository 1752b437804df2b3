import type { DocumentFormat } from './parsed-document.ts'

const formats: Readonly<Record<string, DocumentFormat>> = {
  'text/plain': 'text',
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'text/csv': 'csv',
}

const endings: Readonly<Record<string, DocumentFormat>> = {
  txt: 'text',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  pdf: 'pdf',
  csv: 'csv',
}

/** Media types of documents. */
export const documentTypes: readonly string[] = Object.keys(formats)

/** Format of a media type; undefined if documents of it cannot be read. */
export function formatOf(contentType: string): DocumentFormat | undefined {
  const type = essence(contentType)
  return Object.hasOwn(formats, type) ? formats[type] : undefined
}

/** Media type without its parameters, in lowercase. */
export function essence(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** Character set of a media type; undefined without one. */
export function charsetOf(contentType: string): string | undefined {
  const [, ...parameters] = contentType.slice(0, 256).split(';')
  const [, value] =
    parameters.map((one) => one.trim().split('=')).find(([name]) => name?.toLowerCase() === 'charset') ?? []
  return value?.replaceAll('"', '').toLowerCase()
}

/** Media type of a fetched document: from the response, or from the extension of its path if the server does not know it. */
export function fetchedType(contentType: string | undefined, url: string): string {
  const given = contentType ?? ''
  const ending = (URL.parse(url)?.pathname.split('.').at(-1) ?? '').toLowerCase()
  const byEnding = Object.hasOwn(endings, ending) ? endings[ending] : undefined
  // Servers send Markdown as plain text.
  const vague = formatOf(given) === undefined || essence(given) === 'text/plain'
  if (!vague || byEnding === undefined) return given.slice(0, 256)
  return Object.keys(formats).find((type) => formats[type] === byEnding) ?? given
}
