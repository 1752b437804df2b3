import { Parser } from 'htmlparser2'
import { IngestFailure, TextBuilder } from './parsed-document.ts'
import type { ParsedDocument, ParseLimits } from './parsed-document.ts'

const invisible: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'head',
])
const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
)
const headings: Readonly<Record<string, string>> = {
  h1: '# ',
  h2: '## ',
  h3: '### ',
  h4: '#### ',
  h5: '##### ',
  h6: '###### ',
}
const MAX_TITLE = 256
// The parser keeps a list of open elements, whose cost grows with its length. Browsers stop at 512.
const MAX_DEPTH = 2_000

/** Extracts the visible text of HTML with an event-based parser: no tree is built, so nesting is cheap. Headings are marked as in Markdown. */
export function parseHtml(html: string, { maxCharacters }: ParseLimits): ParsedDocument {
  const text = new TextBuilder(maxCharacters)
  let title = ''
  let inTitle = false
  let hidden = 0
  let depth = 0
  let blank = true
  const breakLine = (prefix = ''): void => {
    text.add(blank ? prefix : `\n\n${prefix}`)
    blank = true
  }
  const parser = new Parser(
    {
      onopentagname: (name) => {
        if (++depth > MAX_DEPTH) throw new IngestFailure('unreadable')
        if (name === 'title') inTitle = title === ''
        if (invisible.has(name)) hidden++
        else if (hidden === 0 && blocks.has(name)) breakLine(headings[name])
        else if (hidden === 0 && (name === 'td' || name === 'th')) text.add(blank ? '' : ' | ')
      },
      ontext: (piece) => {
        if (inTitle && title.length < MAX_TITLE) title += piece
        if (hidden > 0) return
        const words = piece.replaceAll(/[\s\u00a0]+/g, ' ')
        const shown = blank ? words.trimStart() : words
        if (shown === '') return
        text.add(shown)
        blank = false
      },
      onclosetag: (name) => {
        depth--
        if (name === 'title') inTitle = false
        if (invisible.has(name)) hidden = Math.max(0, hidden - 1)
        else if (hidden === 0 && blocks.has(name)) breakLine()
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  )
  parser.write(html)
  parser.end()
  const named = title.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TITLE)
  return { text: text.toString().trimEnd(), title: named === '' ? undefined : named, pages: [] }
}
