import { readJournalEnds, readJournalPage } from '../store/reads.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { buildTree } from './build-tree.ts'
import type { TreePart } from './build-tree.ts'
import { outlineOf, readOutline } from './tree-outline.ts'
import type { RunTree } from '../contract/run-tree.ts'

const mostOfTree = { rows: 10_000, bytes: 16 * 2 ** 20 }

/** Reads a part of a run's tree from the journal, after a sequence number and within the bounds of one response. */
export async function readTree(
  db: Parameters<typeof readJournalPage>[0],
  run: SelectedRun,
  after: number,
  contentOf: TreePart['contentOf'] = () => null,
): Promise<RunTree> {
  const { entries, isLast } = await readJournalPage(db, run, after, mostOfTree)
  const last = entries.at(-1)?.seq ?? after
  const newest = isLast ? last : ((await readJournalEnds(db, [run.id])).get(run.id) ?? last)
  const truncated = newest > last
  const root = buildTree(run, entries, { isContinued: after > 0, isTruncated: truncated, contentOf })
  const outline = truncated || after > 0 ? await readOutline(db, run) : outlineOf(root)
  return { root, truncated, nextAfter: truncated ? last : null, ...outline }
}
