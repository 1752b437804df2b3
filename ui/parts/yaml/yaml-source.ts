import { LineCounter, isAlias, isCollection, isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Document, Node } from 'yaml'

/** Above it a document is neither checked nor shown as a form while it is typed. */
export const MAX_CHECKED_CHARS = 262_144
const MAX_DEPTH = 60
const MAX_ALIASES = 100

/** A problem at a place of a document. */
export interface PlacedProblem {
  /** From 1 on. */
  readonly line: number
  /** Offsets in the text. */
  readonly from: number
  readonly to: number
  readonly message: string
}

/** A YAML document: its nodes, its value if it has one, and what is wrong with its syntax. */
export interface YamlSource {
  readonly text: string
  readonly document: Document
  /** Undefined if the text does not parse. */
  readonly value: unknown
  readonly problems: readonly PlacedProblem[]
  lineAt(offset: number): number
}

/** Reads one YAML document, with its comments. Never throws: what is wrong is in `problems`. */
export function readYaml(text: string): YamlSource {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line)
  const place = (message: string, [from, to]: readonly [number, number]): PlacedProblem => {
    const end = Math.min(text.length, Math.max(from, to))
    return { line: lineAt(from), from: Math.min(from, end), to: end, message }
  }
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const syntax = document.errors.map(({ message, pos }) => place(message, pos))
  const limit = syntax.length > 0 ? undefined : limitOf(document)
  const problems = limit === undefined ? syntax : [place(limit.message, limit.range)]
  return { text, document, value: problems.length > 0 ? undefined : valueOf(document), problems, lineAt }
}

interface Limit {
  readonly message: string
  readonly range: readonly [number, number]
}

// An alias repeats what it names, so that a short text can have a huge value.
function limitOf(document: Document): Limit | undefined {
  let aliases = 0
  let found: Limit | undefined
  const refuse = (message: string, { range }: Node): symbol => {
    found = { message, range: [range?.[0] ?? 0, range?.[1] ?? 0] }
    return visit.BREAK
  }
  visit(document, {
    Node: (_key, node, path) => {
      if (path.length > 2 * MAX_DEPTH) return refuse(`nested deeper than ${MAX_DEPTH} levels`, node as Node)
      if (!isAlias(node)) return
      aliases += 1
      if (aliases > MAX_ALIASES) return refuse(`more than ${MAX_ALIASES} aliases`, node)
      const target = node.resolve(document)
      if (target === undefined) return refuse('an alias of nothing', node)
      if (isCollection(target) && hasAlias(target)) return refuse('an alias of what has aliases itself', node)
    },
  })
  return found
}

function hasAlias(node: Node): boolean {
  let found = false
  visit(node, {
    Alias: () => {
      found = true
      return visit.BREAK
    },
  })
  return found
}

function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch {
    return undefined
  }
}

/** A path to a value: names of fields and indices of lists. */
export type ValuePath = readonly (string | number)[]

/** The path of a JSON Pointer; a segment of digits is an index where the document has a list. */
export function toPath({ document }: YamlSource, pointer: string): ValuePath {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const path: (string | number)[] = []
  for (const name of names) path.push(isSeq(document.getIn(path, true)) && /^\d{1,9}$/.test(name) ? Number(name) : name)
  return path
}

/** The JSON Pointer of a path. */
export function toPointer(path: ValuePath): string {
  return path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Where a path stands in the text: its key, or the nearest parent that the document has. */
export function rangeAt({ document }: YamlSource, path: ValuePath): readonly [number, number] {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === last)
      const range = (pair?.key as Node | undefined)?.range
      if (range) return [range[0], range[1]]
    }
    const item = isSeq(parent) ? (parent.items[Number(last)] as Node | undefined) : undefined
    if (item?.range) return [item.range[0], Math.min(item.range[1], item.range[0] + 40)]
  }
  return [0, 0]
}
