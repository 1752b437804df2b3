/** A part of a message, as it is drawn. */
export type MessageBlock =
  | { readonly kind: 'paragraph' | 'heading'; readonly words: string }
  | { readonly kind: 'code'; readonly language: string; readonly words: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

const fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)\s*$/
const bullet = /^\s*[-*+]\s+(.*)$/
const numbered = /^\s*\d{1,9}[.)]\s+(.*)$/
const heading = /^#{1,6}\s+(.*)$/
const rule = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/

/** Parses the part of Markdown that models write: code, lists, tables and headings. Everything else stays the text that it is. */
export function parseMessage(source: string): readonly MessageBlock[] {
  const lines = source.split('\n')
  const blocks: MessageBlock[] = []
  let at = 0
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at)
    if (block !== undefined) blocks.push(block)
    at = next
  }
  return blocks
}

function readBlock(lines: readonly string[], at: number): readonly [MessageBlock | undefined, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [undefined, at + 1]
  const [, mark, language = ''] = fence.exec(line) ?? []
  if (mark !== undefined) return readCode(lines, at + 1, { mark, language })
  const title = heading.exec(line)?.[1]
  if (title !== undefined) return [{ kind: 'heading', words: title }, at + 1]
  if (line.includes('|') && rule.test(lines[at + 1] ?? '')) return readTable(lines, at)
  if (bullet.test(line)) return readList(lines, at, { item: bullet, isOrdered: false })
  if (numbered.test(line)) return readList(lines, at, { item: numbered, isOrdered: true })
  const end = endOf(lines, at + 1, (one) => one.trim() !== '' && !beginsBlock(one))
  return [{ kind: 'paragraph', words: lines.slice(at, end).join('\n') }, end]
}

function beginsBlock(line: string): boolean {
  return fence.test(line) || heading.test(line) || bullet.test(line) || numbered.test(line)
}

function endOf(lines: readonly string[], from: number, goesOn: (line: string) => boolean): number {
  let end = from
  while (end < lines.length && goesOn(lines[end] ?? '')) end += 1
  return end
}

interface CodeFence {
  readonly mark: string
  readonly language: string
}

// A fence that is never closed goes to the end: the message is still streaming.
function readCode(
  lines: readonly string[],
  from: number,
  { mark, language }: CodeFence,
): readonly [MessageBlock, number] {
  const end = endOf(lines, from, (line) => !line.trim().startsWith(mark))
  return [{ kind: 'code', language, words: lines.slice(from, end).join('\n') }, end + 1]
}

interface ListShape {
  readonly item: RegExp
  readonly isOrdered: boolean
}

function readList(
  lines: readonly string[],
  from: number,
  { item, isOrdered }: ListShape,
): readonly [MessageBlock, number] {
  const end = endOf(lines, from, (line) => item.test(line) || /^\s{2,}\S/.test(line))
  const items: string[] = []
  for (const line of lines.slice(from, end)) {
    const words = item.exec(line)?.[1]
    if (words === undefined) items.push(`${items.pop() ?? ''}\n${line.trim()}`)
    else items.push(words)
  }
  return [{ kind: 'list', isOrdered, items }, end]
}

function readTable(lines: readonly string[], at: number): readonly [MessageBlock, number] {
  const end = endOf(lines, at + 2, (line) => line.includes('|'))
  const head = cellsOf(lines[at] ?? '')
  const rows = lines.slice(at + 2, end).map((line) => head.map((_, index) => cellsOf(line)[index] ?? ''))
  return [{ kind: 'table', head, rows }, end]
}

function cellsOf(line: string): readonly string[] {
  const cells = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return cells.split('|').map((cell) => cell.trim())
}
