import type { Actor } from '#core/event-store/event.ts'
import type { Tx } from '#core/event-store/store.ts'
import { runDeleted } from '../contract/events.ts'
import { deleteRunContent } from '../store/deletion.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { subjectOf } from '../lifecycle/run-writer.ts'

/** Removes runs with journal and content and appends `runs.deleted` for each. Returns their number. */
export async function deleteRuns(tx: Tx, ids: readonly string[], actor: Actor, why?: 'erased'): Promise<number> {
  const runs = await deleteRunContent(tx.tables<RunsTables>(), ids)
  // At any version, since retention of the log may have removed the stream before the run.
  await tx.appendEach(
    runs.map((run) => ({
      stream: `runs/${run.id}`,
      event: { type: runDeleted, actor, subject: subjectOf(run), data: toData(run, why) },
    })),
  )
  return runs.length
}

function toData({ id: runId, trace_id: traceId, ...run }: SelectedRun, why: 'erased' | undefined) {
  if (why === undefined) return { runId, traceId }
  return { runId, traceId, erased: { agentUid: run.agent_uid, conversationId: run.conversation_id } }
}
