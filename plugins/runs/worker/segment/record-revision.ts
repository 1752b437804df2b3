import type { NewEvent } from '#core/event-store/event.ts'
import { runAttached } from '../../contract/events.ts'
import type { Claim } from '../../store/internal/lease.ts'
import type { SelectedRun } from '../../contract/tables.ts'
import { subjectOf } from '../../lifecycle/run-writer.ts'

/** The event with the revision of the agent that responded, appended with the next write of the run to save a transaction per run. */
export interface RevisionRecord {
  /** Returns the event until a write with it is committed, then nothing. */
  pending(): readonly NewEvent[]
  written(): void
}

/** Creates the record; empty if the launcher reported no revision, or the revision that the run already has. */
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
