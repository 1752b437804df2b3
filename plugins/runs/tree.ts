import type { SelectedRun } from './store/tables.ts'

/** A node of a run's span tree. */
export interface TreeNode {
  readonly spanId: string
  readonly kind: string
  readonly name: string
  readonly startedAt: string
  readonly durationMs: number | null
  readonly status: 'ok' | 'error' | 'running'
  readonly attributes: Readonly<Record<string, unknown>>
  readonly children: readonly TreeNode[]
}

/** What the tree is built from: journal entries in order. */
export interface TreeEntry {
  readonly ts: Date
  readonly kind: string
  readonly span_id: string
  readonly data: Readonly<Record<string, unknown>>
}

interface OpenNode extends Omit<TreeNode, 'children'> {
  durationMs: number | null
  status: TreeNode['status']
  children: OpenNode[]
}

const opening = new Set(['step.started', 'message.started', 'tool.started', 'delegate.started'])

/** Builds the tree: each `*.started` opens a node under its parent span, the `*.finished` of the same span closes it. */
export function buildTree(run: SelectedRun, entries: readonly TreeEntry[]): TreeNode {
  const root = rootOf(run)
  const bySpan = new Map<string, OpenNode>()
  for (const entry of entries) {
    if (opening.has(entry.kind)) open(root, bySpan, entry)
    else if (entry.kind.endsWith('.finished')) close(bySpan.get(entry.span_id), entry)
  }
  return root
}

function rootOf(run: SelectedRun): OpenNode {
  const ended = run.finished_at
  return {
    spanId: '',
    kind: 'run',
    name: run.agent_name ?? run.trigger_kind,
    startedAt: (run.started_at ?? run.created_at).toISOString(),
    durationMs: ended ? ended.getTime() - (run.started_at ?? run.created_at).getTime() : null,
    status: ended === null ? 'running' : run.state === 'succeeded' ? 'ok' : 'error',
    attributes: { runId: run.id, state: run.state, ...(run.fail_reason ? { failReason: run.fail_reason } : {}) },
    children: [],
  }
}

function open(root: OpenNode, bySpan: Map<string, OpenNode>, entry: TreeEntry): void {
  const { parentSpanId, name, ...attributes } = entry.data
  const kind = entry.kind.slice(0, entry.kind.indexOf('.'))
  const node: OpenNode = {
    spanId: entry.span_id,
    kind,
    name: typeof name === 'string' ? name : kind,
    startedAt: entry.ts.toISOString(),
    durationMs: null,
    status: 'running',
    attributes,
    children: [],
  }
  const parent = typeof parentSpanId === 'string' ? bySpan.get(parentSpanId) : undefined
  ;(parent ?? root).children.push(node)
  bySpan.set(entry.span_id, node)
}

function close(node: OpenNode | undefined, entry: TreeEntry): void {
  if (!node) return
  node.durationMs = entry.ts.getTime() - Date.parse(node.startedAt)
  node.status = entry.data['isError'] === true || entry.data['error'] !== undefined ? 'error' : 'ok'
  const { parentSpanId: _, name: __, ...attributes } = entry.data
  Object.assign(node.attributes, attributes)
}
