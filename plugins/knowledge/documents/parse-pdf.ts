import { getDocumentProxy } from 'unpdf'
import { IngestFailure, TextBuilder } from './parsed-document.ts'
import type { ParsedDocument, ParseLimits } from './parsed-document.ts'

const MAX_PAGES = 10_000

/** Extracts the text of a PDF page by page; its scripts and forms are never run. Runs in its own thread: a small file may decompress to gigabytes. */
export async function parsePdf(bytes: Uint8Array, { maxCharacters }: ParseLimits): Promise<ParsedDocument> {
  const document = await open(bytes)
  if (document.numPages > MAX_PAGES) throw new IngestFailure('too_large')
  const text = new TextBuilder(maxCharacters)
  const pages: number[] = []
  for (let number = 1; number <= document.numPages; number++) {
    if (number > 1) pages.push(text.length)
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    for (const item of items) if ('str' in item) text.add(item.hasEOL ? `${item.str}\n` : item.str)
    text.add('\n\n')
    page.cleanup()
  }
  return { text: text.toString(), title: await titleOf(document), pages }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(bytes: Uint8Array): Promise<Pdf> {
  try {
    return await getDocumentProxy(bytes, { stopAtErrors: false, verbosity: 0 })
  } catch (error) {
    throw new IngestFailure(error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'unreadable')
  }
}

async function titleOf(document: Pdf): Promise<string | undefined> {
  const { info } = await document.getMetadata().catch(() => ({ info: undefined }))
  const title = info === undefined ? undefined : new Map(Object.entries(info)).get('Title')
  return typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 256) : undefined
}
