import type { NewEvent } from '#core/event-store/event.ts'
import { runAttached } from '../events.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { SelectedRun } from '../store/tables.ts'
import { subjectOf } from '../lifecycle/run-writer.ts'

/** The event that says which revision answers, for the next write of the run: a write of its own would cost each run one more. */
export interface RevisionRecord {
  /** The event, until a write that carried it was committed. */
  pending(): readonly NewEvent[]
  written(): void
}

/** Nothing is to be said when the launcher named no revision, or the one that the run shows already. */
export function recordRevision(claim: Claim, run: SelectedRun, agentRevision: number | undefined): RevisionRecord {
  let pending: readonly NewEvent[] =
    agentRevision === undefined || agentRevision === run.agent_revision
      ? []
      : [
          {
            type: runAttached,
            subject: subjectOf(run),
            correlationId: run.root_run_id,
            data: { runId: run.id, epoch: claim.epoch, agentRevision },
          },
        ]
  return {
    pending: () => pending,
    written: () => {
      pending = []
    },
  }
}
