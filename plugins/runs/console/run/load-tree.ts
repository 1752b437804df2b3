import type { Static } from 'typebox'
import type { RunTree } from '#schemas/api/run-events.ts'
import type { RunNode } from '#ui/parts/run/run-node.ts'
import { mergeTrees } from './merge-trees.ts'

/** A part of the tree of a run, as the API sends it. */
export type LoadedPart = Omit<Static<typeof RunTree>, 'root'> & { readonly root: RunNode }

/** The parts of a tree that have been read, as one. */
export interface LoadedTree {
  readonly root: RunNode
  /** The next part; null after the last one. */
  readonly nextAfter: number | null
  readonly spanCount: number
  readonly errorSpanIds: readonly string[]
}

/** What is to be read of a tree. */
export interface WantedTree {
  /** Number of parts at least. */
  readonly parts: number
  /** A span that must be among them; undefined for any of those that failed. */
  readonly spanId: string | undefined
}

/** A span of the address may be one that never was; it must not read a journal of any length. */
const MOST_PARTS = 10

/** Reads parts of a tree until the wanted span is among them: a truncated tree opens on its failure. */
export async function loadTree(
  read: (after: number | undefined) => Promise<LoadedPart>,
  { parts, spanId }: WantedTree,
): Promise<LoadedTree> {
  let part = await read(undefined)
  let { root } = part
  const { errorSpanIds, spanCount } = part
  const wanted = spanId === undefined ? errorSpanIds : [spanId]
  for (let count = 1; part.nextAfter !== null && count < Math.max(parts, MOST_PARTS); count += 1) {
    if (count >= parts && hasOneOf(root, wanted)) break
    // oxlint-disable-next-line no-await-in-loop -- each part names the next one
    part = await read(part.nextAfter)
    root = mergeTrees(root, part.root)
  }
  return { root, nextAfter: part.nextAfter, spanCount, errorSpanIds }
}

function hasOneOf(root: RunNode, ids: readonly string[]): boolean {
  if (ids.length === 0) return true
  const open: RunNode[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (ids.includes(node.spanId)) return true
    open.push(...node.children)
  }
  return false
}
