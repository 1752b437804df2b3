import { isDeepStrictEqual } from 'node:util'
import type { TreeNode } from '../contract/run-tree.ts'

/** A node of a tree as a comparison shows it. */
export interface ComparedStep {
  readonly spanId: string
  readonly kind: string
  readonly name: string
  /** Number of nodes above it, without the run. */
  readonly depth: number
  readonly status: TreeNode['status']
  readonly durationMs: number | null
}

/** Steps of two runs that correspond to each other; null where a run has none. */
export interface AlignedSteps {
  readonly a: ComparedStep | null
  readonly b: ComparedStep | null
  /** What differs: `status`, or names of attributes. Empty where a run has no step. */
  readonly differs: readonly string[]
}

/** Aligned steps of two trees. */
export interface ComparedTrees {
  readonly steps: readonly AlignedSteps[]
  /** Index of the first pair that differs; null if none does. */
  readonly firstDifference: number | null
  /** Whether a tree has more steps than were compared. */
  readonly truncated: boolean
}

/** Steps of each tree that are compared: the time of an alignment is proportional to their product. */
export const MAX_COMPARED = 1000

interface Step {
  readonly shown: ComparedStep
  readonly attributes: TreeNode['attributes']
}

/** Aligns the steps of two trees by depth, kind and name, so that the most steps have a counterpart. Pure. */
export function compareTrees(a: TreeNode, b: TreeNode): ComparedTrees {
  const [left, right] = [stepsOf(a), stepsOf(b)]
  const steps = align(left.slice(0, MAX_COMPARED), right.slice(0, MAX_COMPARED))
  const first = steps.findIndex((pair) => pair.a === null || pair.b === null || pair.differs.length > 0)
  const truncated = Math.max(left.length, right.length) > MAX_COMPARED
  return { steps, firstDifference: first < 0 ? null : first, truncated }
}

// Depth first, without recursion: a hostile agent may nest steps deeply.
function stepsOf(root: TreeNode): readonly Step[] {
  const steps: Step[] = []
  const rest = root.children.toReversed().map((node) => ({ node, depth: 0 }))
  for (let next = rest.pop(); next !== undefined && steps.length <= MAX_COMPARED; next = rest.pop()) {
    const { node, depth } = next
    const { spanId, kind, name, status, durationMs, attributes, children } = node
    steps.push({ shown: { spanId, kind, name, depth, status, durationMs }, attributes })
    rest.push(...children.toReversed().map((child) => ({ node: child, depth: depth + 1 })))
  }
  return steps
}

/** The longest common subsequence of two lists of steps, with the others between. */
function align(a: readonly Step[], b: readonly Step[]): readonly AlignedSteps[] {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = isSame(a[i], b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: AlignedSteps[] = []
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const [left, right] = [a[i], b[j]]
    const isPair = left !== undefined && right !== undefined && isSame(left, right)
    if (isPair) pairs.push({ a: left.shown, b: right.shown, differs: differencesOf(left, right) })
    const isLeft = !isPair && left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))
    if (isLeft) pairs.push({ a: left.shown, b: null, differs: [] })
    else if (!isPair && right !== undefined) pairs.push({ a: null, b: right.shown, differs: [] })
    if (isPair || isLeft) i += 1
    if (!isLeft) j += 1
  }
  return pairs
}

function isSame(a: Step | undefined, b: Step | undefined): boolean {
  return a?.shown.depth === b?.shown.depth && a?.shown.kind === b?.shown.kind && a?.shown.name === b?.shown.name
}

/** Attributes that differ in every run: ids, times and amounts. */
const ofTheRun = /id$|at$|ms$|tokens$|^usage$|^cost$|^offset$|seq$/i

function differencesOf(a: Step, b: Step): readonly string[] {
  const names = [...new Set([...Object.keys(a.attributes), ...Object.keys(b.attributes)])].toSorted()
  const differ = names.filter(
    (name) => !ofTheRun.test(name) && !isDeepStrictEqual(a.attributes[name], b.attributes[name]),
  )
  return a.shown.status === b.shown.status ? differ : ['status', ...differ]
}
