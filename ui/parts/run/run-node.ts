import type { SpanContentView } from '../../../schemas/api/span-content.ts'
import type { TreeSpan } from '../trace/flat-tree.ts'

/** A node of the tree of a run, with what its entries say. */
export interface RunNode extends TreeSpan {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | null
  /** The run itself, or that of a delegation. */
  readonly runId?: string | null
  readonly content?: SpanContentView | null
  readonly children: readonly RunNode[]
}

/** Input and output of the run, which its root does not have. */
export interface RunContent {
  readonly input?: unknown
  readonly output?: unknown
}

/** The nodes of a tree by their id. Without recursion: a run may be as deep as it is long. */
export function nodesById(root: RunNode): ReadonlyMap<string, RunNode> {
  const nodes = new Map<string, RunNode>()
  const open: RunNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.set(node.spanId, node)
    open.push(...node.children)
  }
  return nodes
}

// What the inspector shows elsewhere.
const shownElsewhere: ReadonlySet<string> = new Set(['arguments', 'result', 'text', 'usage', 'cost', 'error'])

/** What the inspector shows of a node. */
export function toStepDetail(node: RunNode, run: RunContent, events: readonly unknown[] = []) {
  const { attributes, content, usage, error, kind } = node
  const own = kind === 'run' ? run : {}
  return {
    input: own.input ?? attributes['arguments'] ?? content?.arguments ?? undefined,
    output: own.output ?? attributes['result'] ?? content?.result ?? undefined,
    tokens: usage == null ? null : usage.inputTokens + usage.outputTokens,
    ...(error == null ? {} : { error: { title: error.code, detail: error.message } }),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !shownElsewhere.has(name))),
    events,
    isWithheld: content?.withheld === true,
    isCut: content?.cut === true,
  }
}
