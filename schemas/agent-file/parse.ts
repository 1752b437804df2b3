import { Composer, LineCounter, Parser, isAlias, isNode, isPair, isScalar, visit } from 'yaml'
import type { CST, Document, Node, YAMLMap } from 'yaml'
import { findUnstorable } from '../values/storable-text.ts'
import { AgentFileError, MAX_PROBLEMS, pathOf, pointerOf } from './problem.ts'
import type { LocatedProblem, Path, FileProblem } from './problem.ts'

const MAX_DEPTH = 64
/** Maximum size of an agent file. */
export const MAX_BYTES = 256 * 1024
const MAX_DOCUMENTS = 20

/** A parsed YAML document, with a function that maps a path to line and column. */
export interface ParsedSource {
  value: unknown
  locate(problem: FileProblem): LocatedProblem
}

/** Parses one YAML document (JSON is YAML). */
export function parseSource(source: string, file?: string): ParsedSource {
  const [first, second] = parseSources(source, file)
  if (first === undefined)
    throw new AgentFileError([{ pointer: '', message: 'the file is empty', line: 1, column: 1 }], file)
  if (second !== undefined) {
    const message = 'one file holds one agent: a second document starts here'
    throw new AgentFileError([second.locate({ path: [], message })], file)
  }
  return first
}

/** Parses the YAML documents of a file; empty documents are skipped. Aliases, tags and deep nesting are refused (X3). */
export function parseSources(source: string, file?: string): ParsedSource[] {
  if (Buffer.byteLength(source) > MAX_BYTES) {
    throw new AgentFileError([{ pointer: '', message: `must have at most ${MAX_BYTES} bytes` }], file)
  }
  const lines = new LineCounter()
  return compose(source, lines, file).map((document) => {
    const refused = [...syntaxProblems(document, lines), ...refusedNodes(document, lines)]
    if (refused.length > 0) throw new AgentFileError(refused, file)
    const parsed = { value: document.toJS() as unknown, locate: (found: FileProblem) => locate(document, lines, found) }
    refuseUnstorable(source, parsed, file)
    return parsed
  })
}

// Only as an escape, or raw where the parser let it pass.
function refuseUnstorable(source: string, { value, locate: place }: ParsedSource, file?: string): void {
  const pointer = /[\\\0]/.test(source) ? findUnstorable(value) : undefined
  if (pointer === undefined) return
  const message = 'must not contain U+0000 or a lone surrogate'
  throw new AgentFileError([place({ path: pathOf(pointer), message })], file)
}

function compose(source: string, lines: LineCounter, file?: string): Document.Parsed[] {
  const tokens = readTokens(source, lines)
  const deep = findDeepToken(tokens)
  if (deep !== undefined) {
    const message = `must not be nested deeper than ${MAX_DEPTH} levels`
    throw new AgentFileError([{ pointer: '', message, ...position(lines, deep) }], file)
  }
  // Without `uniqueKeys`: the library compares all pairs of keys in a map, which takes 114 s for 250 KB. See `refusedKeys`.
  const documents = [
    ...new Composer({ schema: 'core', uniqueKeys: false, merge: false }).compose(tokens, true, source.length),
  ].filter((document) => document.errors.length > 0 || !isEmpty(document))
  const tooMany = documents[MAX_DOCUMENTS]
  if (tooMany === undefined) return documents
  const message = `one file has at most ${MAX_DOCUMENTS} documents`
  throw new AgentFileError([{ pointer: '', message, ...position(lines, tooMany.range[0]) }], file)
}

function isEmpty({ contents }: Document.Parsed): boolean {
  return contents === null || (isScalar(contents) && contents.value === null)
}

// Stops at the first errors: a file of only errors takes three times as long as a valid one.
function readTokens(source: string, lines: LineCounter): CST.Token[] {
  const tokens: CST.Token[] = []
  let errors = 0
  for (const token of new Parser(lines.addNewLine).parse(source)) {
    tokens.push(token)
    if (token.type === 'error' && ++errors === MAX_PROBLEMS) break
  }
  return tokens
}

// Uses its own stack, before any recursive code sees the tokens.
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
  return [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS).map((error) => ({
    pointer: '',
    message: withoutSource(error.message),
    ...position(lines, error.pos[0]),
  }))
}

// The library repeats what it read, which may hold a secret: the line, and in a message the tag, the token after a colon or at the end.
function withoutSource(message: string): string {
  const [line = ''] = message.split('\n')
  if (/\btags?\b/i.test(line)) return 'tags are not allowed'
  return line
    .replace(/ at line \d+, column \d+:?$/, '')
    .replace(/(?<=[\w)]): .*$/, '')
    .replace(/(?<=^Unknown directive|^Unsupported YAML version|^Unresolved plain scalar) .*$/, '')
}

function refusedNodes(document: Document.Parsed, lines: LineCounter): LocatedProblem[] {
  const problems: LocatedProblem[] = []
  const refuse = (node: Node, message: string): symbol | undefined => {
    problems.push({ pointer: '', message, ...position(lines, node.range?.[0] ?? 0) })
    return problems.length < MAX_PROBLEMS ? undefined : visit.BREAK
  }
  const checkNode = (node: Node): symbol | undefined => {
    if (isAlias(node)) return refuse(node, 'aliases are not allowed')
    if (node.anchor !== undefined) return refuse(node, 'anchors are not allowed')
    if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value))
      return refuse(node, 'must be a finite number')
    const isOwnTag = node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:')
    return isOwnTag ? refuse(node, 'tags are not allowed') : undefined
  }
  visit(document, {
    Node: (_key, node) => checkNode(node),
    // Replaces `Node` for maps.
    Map: (_key, map) => {
      if (checkNode(map) === visit.BREAK) return visit.BREAK
      for (const [key, message] of refusedKeys(map)) if (refuse(key, message) === visit.BREAK) return visit.BREAK
      return undefined
    },
  })
  return problems
}

function* refusedKeys(map: YAMLMap): Generator<[Node, string], void> {
  const names = new Set<string>()
  for (const { key } of map.items) {
    if (!isNode(key)) continue
    const name = isScalar(key) ? String(key.value) : undefined
    if (name === undefined) yield [key, 'a field name must be a string']
    else if (name === '__proto__') yield [key, 'a field cannot have this name']
    else if (names.has(name)) yield [key, 'Map keys must be unique']
    if (name !== undefined) names.add(name)
  }
}

function locate(document: Document.Parsed, lines: LineCounter, problem: FileProblem): LocatedProblem {
  const offset = offsetOf(document, problem.path)
  return { pointer: pointerOf(problem.path), message: problem.message, ...position(lines, offset) }
}

// Position of the key, not of the value: readers look there for "unknown field". A missing field has the position of its parent.
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
  if (isNode(node)) return node.range?.[0] ?? 0
  return path.length === 0 ? document.range[0] : offsetOf(document, path.slice(0, -1))
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}
