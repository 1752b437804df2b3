import type { RunNode } from '#ui/parts/run/run-node.ts'

type OpenNode = { -readonly [Name in keyof Omit<RunNode, 'children'>]: RunNode[Name] } & { children: OpenNode[] }

/**
 * The tree of a run with a later part of it. A node of both ends where the part says; one that the part alone has stands below the same node, or
 * below the step that was going on. Without recursion: a run may be as deep as it is long.
 */
export function mergeTrees(base: RunNode, part: RunNode): RunNode {
  const { root, byId } = copyTree(base)
  const step = openStep(root)
  Object.assign(root, { ...part, children: root.children })
  const open = part.children
    .toReversed()
    .map((node) => ({ node, parent: node.kind === 'step' ? root : (step ?? root) }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parent } = next
    const known = byId.get(node.spanId)
    const kept = known ?? { ...node, children: [] }
    if (known === undefined) {
      parent.children.push(kept)
      byId.set(node.spanId, kept)
    } else endNode(known, node)
    for (const child of node.children.toReversed()) open.push({ node: child, parent: kept })
  }
  return root
}

function copyTree(base: RunNode): { readonly root: OpenNode; readonly byId: Map<string, OpenNode> } {
  const root: OpenNode = { ...base, children: [] }
  const byId = new Map([[base.spanId, root]])
  const open = [{ from: base, to: root }]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const child of next.from.children) {
      const copy: OpenNode = { ...child, children: [] }
      next.to.children.push(copy)
      byId.set(child.spanId, copy)
      open.push({ from: child, to: copy })
    }
  return { root, byId }
}

// The part has only the end: its start is that of the end, or as long before it as the entry says.
function endNode(known: OpenNode, node: RunNode): void {
  const { startedAt, attributes } = known
  const end = node.durationMs === null ? undefined : Date.parse(node.startedAt) + node.durationMs
  Object.assign(known, {
    status: node.status,
    durationMs: end === undefined ? known.durationMs : Math.max(0, end - Date.parse(startedAt)),
    attributes: { ...attributes, ...node.attributes },
    usage: node.usage ?? known.usage,
    cost: node.cost ?? known.cost,
    error: node.error ?? known.error,
    runId: node.runId ?? known.runId,
    content: node.content ?? known.content,
  })
}

function openStep(root: OpenNode): OpenNode | undefined {
  return root.children.findLast(({ kind, durationMs }) => kind === 'step' && durationMs === null)
}
