import type { Tx } from '#core/event-store/store.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { createRunIn } from '../create/create-run.ts'
import type { CreateServices, NewRun } from '../create/create-run.ts'
import { targetOf } from '../create/find-target.ts'
import { checkDepth } from '../create/run-depth.ts'
import { findRun } from '../store/internal/find-run.ts'
import { usePrepared } from '../store/internal/prepared.ts'
import type { RunsTables, RunsTx, SelectedRun } from '../contract/tables.ts'
import { openSealed, refused } from './seal.ts'
import type { QueuedRun, QueueOptions } from '../contract/prepared-run.ts'

/** Dependencies. */
export type QueueServices = Omit<CreateServices, 'store' | 'core'> & { readonly core: Pick<Core, 'keys' | 'now'> }

/**
 * Queues a prepared run in the given transaction. A repeat returns the first run and never creates a second one. The agent must still have the
 * reviewed uid.
 */
export async function queuePrepared(
  services: QueueServices,
  tx: Tx,
  given: unknown,
  { parentRunId }: QueueOptions = {},
): Promise<QueuedRun> {
  const db = tx.tables<RunsTables>()
  const { run, expiresAt } = await openSealed(services.core.keys, given, services.core.now())
  if (!(await usePrepared(db, run.runId, expiresAt))) {
    const known = await findRun(db, run.runId)
    if (!known) throw refused('Its run has been queued and removed.')
    return toQueued(known)
  }
  if (run.parent !== undefined && run.parent.id !== parentRunId)
    throw refused('It was prepared as a child of another run.')
  const parent = parentRunId === undefined ? undefined : await parentOf(db, run, parentRunId)
  const child = parent === undefined ? run : { ...run, parent, traceparent: inTraceOf(parent, run.traceparent) }
  return toQueued(await createRunIn(services, tx, child, targetOf(run)))
}

function toQueued({ id, state }: SelectedRun): QueuedRun {
  return { runId: id, state }
}

async function parentOf(db: RunsTx, { subject }: NewRun, parentRunId: string): Promise<SelectedRun> {
  const parent = await findRun(db, parentRunId)
  if (!parent) throw new Fail('not_found', 'The parent run does not exist.')
  if (parent.subject !== subject) throw refused('Its subject differs from that of the parent run.')
  await checkDepth(db, parent)
  return parent
}

function inTraceOf({ trace_id: traceId }: SelectedRun, traceparent: string): string {
  return `00-${traceId}${traceparent.slice(35)}`
}
