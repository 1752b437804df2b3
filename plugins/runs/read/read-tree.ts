import { readJournalEnds, readJournalPage } from '../store/reads.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { buildTree } from './build-tree.ts'
import type { RunTree } from '../contract/run-tree.ts'

const mostOfTree = { rows: 10_000, bytes: 16 * 2 ** 20 }

/** Reads a part of a run's tree from the journal, after a sequence number and within the bounds of one response. */
export async function readTree(
  db: Parameters<typeof readJournalPage>[0],
  run: SelectedRun,
  after: number,
): Promise<RunTree> {
  const { entries, isLast } = await readJournalPage(db, run, after, mostOfTree)
  const last = entries.at(-1)?.seq ?? after
  const newest = isLast ? last : ((await readJournalEnds(db, [run.id])).get(run.id) ?? last)
  const truncated = newest > last
  const root = buildTree(run, entries, { isContinued: after > 0, isTruncated: truncated })
  return { root, truncated, nextAfter: truncated ? last : null }
}
