import type { Reader } from '#core/event-store/store.ts'
import type { TreeNode } from '../contract/run-tree.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { readOutlineEntries } from '../store/read-outline.ts'
import { buildTree } from './build-tree.ts'

/** Nodes of a tree, and the first of them with errors. */
export interface TreeOutline {
  readonly spanCount: number
  readonly errorSpanIds: readonly string[]
}

const MOST_ERRORS = 20
/** Entries that are counted; the journal of a launcher is smaller. */
const MOST_ENTRIES = 100_000

/** Counts the nodes of a tree. The root is no error node: it failed because of another one. */
export function outlineOf(root: TreeNode): TreeOutline {
  const errors: string[] = []
  let spanCount = 0
  for (const waiting = [root]; waiting.length > 0;) {
    const node = waiting.pop()
    if (node === undefined) break
    spanCount++
    if (node !== root && node.status === 'error' && errors.length < MOST_ERRORS) errors.push(node.spanId)
    waiting.push(...node.children.toReversed())
  }
  return { spanCount, errorSpanIds: errors }
}

/** The outline of a run's whole tree, of which a response has a part: read without the contents of its entries. */
export async function readOutline(db: Reader<RunsTables>, run: SelectedRun): Promise<TreeOutline> {
  const entries = await readOutlineEntries(db, run, MOST_ENTRIES)
  return outlineOf(buildTree(run, entries, { isTruncated: entries.length === MOST_ENTRIES }))
}
