import { Fail } from '#core/errors/domain-error.ts'
import { isSettled } from '../lifecycle/decide.ts'
import { lockRun } from '../store/internal/lease.ts'
import { runErrors } from '../contract/errors.ts'

/**
 * Locks the parent of a new child run until COMMIT; throws `run_terminal` if it has ended or is being cancelled. A concurrent cancel of
 * the parent either waits for this transaction and finds the child, or was committed before and is visible here.
 */
export async function lockParent(db: Parameters<typeof lockRun>[0], parentId: string): Promise<void> {
  const parent = await lockRun(db, parentId)
  if (!parent || isSettled(parent.run.state)) throw new Fail(runErrors.run_terminal)
}
