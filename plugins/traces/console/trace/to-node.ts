import type { RunNode } from '#ui/parts/run/run-node.ts'
import type { SpanKind } from '#ui/parts/trace/flat-tree.ts'

/** A span of the API, as far as it is drawn. */
export interface SentSpan {
  readonly spanId: string
  readonly name: string
  readonly startedAt: string
  readonly durationMs: number
  readonly status: string
  readonly statusMessage: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly unknown[]
  readonly content: RunNode['content']
  readonly children: readonly SentSpan[]
}

const kinds: Readonly<Record<string, SpanKind>> = {
  chat: 'model',
  embeddings: 'model',
  generate_content: 'model',
  text_completion: 'model',
  execute_tool: 'tool',
  invoke_agent: 'delegate',
}

/** The spans of a trace as one tree. Without recursion: a trace may be as deep as it is long. */
export function toTraceTree(roots: readonly SentSpan[], traceId: string): RunNode | undefined {
  const [first] = roots
  if (first === undefined) return undefined
  const top = draft(first)
  const root: DraftNode =
    roots.length === 1 ? top : { ...top, spanId: traceId, name: traceId, kind: 'run', children: [] }
  if (roots.length > 1) Object.assign(root, { attributes: {}, content: null, error: null, ...spanOf(roots) })
  const open = roots.length === 1 ? [{ from: first, to: root }] : roots.map((from) => ({ from, to: addTo(root, from) }))
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const child of next.from.children) open.push({ from: child, to: addTo(next.to, child) })
  return root
}

type DraftNode = { -readonly [Name in keyof Omit<RunNode, 'children'>]: RunNode[Name] } & { children: DraftNode[] }

function addTo(parent: DraftNode, span: SentSpan): DraftNode {
  const node = draft(span)
  parent.children.push(node)
  return node
}

function draft(span: SentSpan): DraftNode {
  const { spanId, name, startedAt, durationMs, status, statusMessage, attributes, content } = span
  const operation = attributes['gen_ai.operation.name']
  const isFailed = status === 'error'
  return {
    spanId,
    name,
    startedAt,
    durationMs,
    status: isFailed ? 'error' : 'ok',
    kind: (typeof operation === 'string' && Object.hasOwn(kinds, operation) ? kinds[operation] : undefined) ?? 'span',
    attributes,
    content: content ?? null,
    error: isFailed ? { code: 'error', message: statusMessage ?? '' } : null,
    children: [],
  }
}

/** From the first start to the last end. */
function spanOf(roots: readonly SentSpan[]): Pick<DraftNode, 'startedAt' | 'durationMs'> {
  const starts = roots.map(({ startedAt }) => Date.parse(startedAt))
  const from = starts.reduce((least, start) => Math.min(least, start))
  const to = roots.reduce((most, { durationMs }, at) => Math.max(most, (starts[at] ?? 0) + durationMs), from)
  return { startedAt: new Date(from).toISOString(), durationMs: to - from }
}
