import { Composer, LineCounter, Parser, isAlias, isNode, isPair, visit } from 'yaml'
import type { CST, Document, Node } from 'yaml'
import { AgentFileError, toPointer } from './problem.ts'
import type { LocatedProblem, Path, Problem } from './problem.ts'

const MAX_DEPTH = 64
const MAX_BYTES = 256 * 1024

/** YAML text as a value, and a way from a path back to line and column. */
export interface ParsedSource {
  value: unknown
  locate(problem: Problem): LocatedProblem
}

/** Parses one YAML document (JSON is YAML). Aliases, tags, several documents and deep nesting are refused (X3). */
export function parseSource(source: string, file?: string): ParsedSource {
  if (Buffer.byteLength(source) > MAX_BYTES) {
    throw new AgentFileError([{ pointer: '', message: `must have at most ${MAX_BYTES} bytes` }], file)
  }
  const lines = new LineCounter()
  const document = composeOne(source, lines, file)
  const refused = [...syntaxProblems(document, lines), ...refusedNodes(document, lines)]
  if (refused.length > 0) throw new AgentFileError(refused, file)
  return { value: document.toJS(), locate: (problem) => locate(document, lines, problem) }
}

function composeOne(source: string, lines: LineCounter, file?: string): Document.Parsed {
  const tokens = [...new Parser(lines.addNewLine).parse(source)]
  const deep = findDeepToken(tokens)
  if (deep !== undefined) {
    const message = `must not be nested deeper than ${MAX_DEPTH} levels`
    throw new AgentFileError([{ pointer: '', message, ...position(lines, deep) }], file)
  }
  const documents = [...new Composer({ schema: 'core', uniqueKeys: true, merge: false }).compose(tokens)]
  const [first, second] = documents
  if (first === undefined)
    throw new AgentFileError([{ pointer: '', message: 'the file is empty', line: 1, column: 1 }], file)
  if (second !== undefined) {
    const message = 'one file holds one agent: a second document starts here'
    throw new AgentFileError([{ pointer: '', message, ...position(lines, second.range[0]) }], file)
  }
  return first
}

// With an own stack, before anything recursive sees the tokens.
function findDeepToken(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, depth: 0 }))
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { token, depth } = entry
    if (depth > MAX_DEPTH) return token.offset
    for (const child of childrenOf(token)) open.push({ token: child, depth: depth + (child === token ? 0 : 1) })
  }
  return undefined
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value]
  if (!('items' in token)) return []
  return token.items.flatMap((item) => [item.key, item.value]).filter((child) => child !== undefined && child !== null)
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): LocatedProblem[] {
  return [...document.errors, ...document.warnings].map((error) => ({
    pointer: '',
    // The library appends an excerpt of the source, which may hold a secret.
    message: (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
    ...position(lines, error.pos[0]),
  }))
}

function refusedNodes(document: Document.Parsed, lines: LineCounter): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const refuse = (node: Node, message: string) =>
    problems.push({ pointer: '', message, ...position(lines, node.range?.[0] ?? 0) })
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) refuse(node, 'aliases are not allowed')
      else if (node.anchor !== undefined) refuse(node, 'anchors are not allowed')
      else if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:'))
        refuse(node, 'tags are not allowed')
    },
    Pair: (_key, pair) => {
      if (isNode(pair.key) && String(pair.key) === '__proto__') refuse(pair.key, 'a field cannot have this name')
    },
  })
  return problems
}

function locate(document: Document.Parsed, lines: LineCounter, problem: Problem): LocatedProblem {
  const offset = offsetOf(document, problem.path)
  return { pointer: toPointer(problem.path), message: problem.message, ...position(lines, offset) }
}

// The key of a field rather than its value: that is where an eye looks for "unknown field".
function offsetOf(document: Document.Parsed, path: Path): number {
  const parent: unknown = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true)
  const step = path.at(-1)
  const items: unknown = isNode(parent) && 'items' in parent ? parent.items : undefined
  if (Array.isArray(items)) {
    for (const item of items) {
      if (isPair(item) && isNode(item.key) && String(item.key) === String(step)) return item.key.range?.[0] ?? 0
    }
  }
  const node: unknown = document.getIn(path, true)
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}
