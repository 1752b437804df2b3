import { Fail } from '#core/errors/domain-error.ts'
import { runErrors } from '../contract/errors.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { SelectedRun } from '../contract/tables.ts'

const deepest = 8

/** Throws `depth_exceeded`. The depth is counted from stored rows; the given limit can only lower that of the platform. */
export async function checkDepth(
  db: Parameters<typeof findRun>[0],
  parent: SelectedRun | undefined,
  maxDepth = deepest,
): Promise<void> {
  let depth = 0
  for (let run = parent; run; depth++)
    run = run.parent_run_id === null ? undefined : await findRun(db, run.parent_run_id)
  if (depth > Math.min(maxDepth, deepest)) throw new Fail(runErrors.depth_exceeded)
}
