/** A part of a line, as it is drawn. */
export type InlinePart =
  | { readonly kind: 'words' | 'bold' | 'italic' | 'code'; readonly words: string }
  | { readonly kind: 'link'; readonly words: string; readonly to: string; readonly host: string }

// Each alternative has a bound, so that a line of a million signs takes a linear time.
const inline =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*|\*([^*\s][^*\n]{0,2000})\*|(?<!!)\[([^\]\n]{1,500})\]\(([^)\s]{1,2000})\)|\bhttps?:\/\/[^\s<>()"'`]{1,2000}/g

/** The parts of a line: code, bold, italic and links. An image stays the text that it is: nothing is loaded. */
export function parseInline(line: string): readonly InlinePart[] {
  const parts: InlinePart[] = []
  let end = 0
  for (const found of line.matchAll(inline)) {
    if (found.index > end) parts.push({ kind: 'words', words: line.slice(end, found.index) })
    parts.push(toPart(found))
    end = found.index + found[0].length
  }
  if (end < line.length) parts.push({ kind: 'words', words: line.slice(end) })
  return parts
}

function toPart([whole, code, bold, italic, words, to]: RegExpMatchArray): InlinePart {
  if (code !== undefined) return { kind: 'code', words: code }
  if (bold !== undefined) return { kind: 'bold', words: bold }
  if (italic !== undefined) return { kind: 'italic', words: italic }
  const address = to ?? whole ?? ''
  const host = hostOf(address)
  return host === undefined
    ? { kind: 'words', words: whole ?? '' }
    : { kind: 'link', words: words ?? address, to: address, host }
}

// Only what a browser opens as a page; `javascript:` is text.
function hostOf(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined
  return new URL(address).host
}
